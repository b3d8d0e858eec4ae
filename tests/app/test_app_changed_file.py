"""A file that is saved again while it is open: the page reports it, and reads it again on request."""

import numpy as np
from visit import Visit

from hierviz.app.state import opened
from hierviz.app.state.dataset import Files, open_files
from tests.readers.bad_files import EDGES

P = np.array([[0.5, 0.25, 0.125, 0.125], [0.25, 0.5, 0.125, 0.125]])


def saved(folder, scores):
    np.save(folder / "p.npy", scores)


def test_a_changed_file_is_named_and_read_again_on_request(tmp_path, no_charts):
    (tmp_path / "taxonomy.csv").write_text(EDGES)
    saved(tmp_path, P)
    data = open_files(Files(taxonomy=str(tmp_path / "taxonomy.csv"), predictions=(str(tmp_path / "p.npy"),)))
    opened.server().put(data, "")
    visit = Visit("example", data=data.key)
    assert not visit.at.error
    saved(tmp_path, P[::-1])
    visit.run()
    words = "p.npy: expected the file of 192 bytes that was opened, got one that was saved again. Open it again"
    assert [one.value.startswith(words) for one in visit.at.error] == [True]
    button = next(one for one in visit.at.button if one.label == "Read the files again")
    button.click()
    visit.run()
    assert not visit.at.error
    assert visit.query["data"] != data.key
    fresh = opened.server().get(visit.query["data"])
    assert np.array_equal(np.asarray(fresh.first.predictions.scores), P[::-1])
