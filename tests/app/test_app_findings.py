"""What `hierviz doctor` finds, on the Overview and on Open files, with the fixed files."""

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, one_hot, world
from visit import Visit

from hierviz.app.widgets import findings_panel
from hierviz.opening.files import Files


@pytest.mark.long
def test_findings_of_open_files_and_of_large_ones(tmp_path, monkeypatch):
    leaves = ["cello", "violin", *LEAVES[2:]]
    scores = (
        0.7 * one_hot(*np.arange(60) % 6)
        + 0.05 * (1 - one_hot(*np.arange(60) % 6))
        + 0.05 * one_hot(*np.arange(60) % 6)
    )
    truth = [LEAVES[k % 6] for k in range(60)]
    data = world(tmp_path, edges=[*EDGES, ("instrument", "cello")], leaves=leaves, scores=scores, truth=truth)
    overview = Visit("overview", data=data.key)
    # What makes all numbers those of other classes is said without a press.
    assert "scores: 2 columns look exchanged: 'cello' holds 'violin'" in overview.at.warning[0].value.replace("*", "")
    visit = Visit("overview", data=data.key)
    assert "Problems found in the files: 2 warnings and 1 remark." in visit.text
    # The list stands behind the line.
    assert "2 columns of siblings look exchanged" in visit.text
    visit = Visit("open", data=data.key)
    assert "2 columns of siblings look exchanged: 'cello' holds 'violin', 'violin' holds 'cello'" in visit.text
    assert [one.proto.label for one in visit.at.get("download_button") if "Fixed" in one.proto.label] == [
        "Fixed taxonomy.csv",
        "Fixed scores.csv",
    ]
    monkeypatch.setattr(findings_panel, "MOST_AT_ONCE", 0)
    assert "look exchanged" in Visit("open", data=data.key).text


def test_a_folder_is_as_large_as_its_files(tmp_path):
    """Parts of any size were read again, all of them, for every list of findings."""
    (tmp_path / "parts").mkdir()
    for name, size in (("taxonomy.csv", 7), ("parts/part-0.parquet", 100), ("parts/part-1.parquet", 23)):
        (tmp_path / name).write_bytes(bytes(size))
    files = Files(taxonomy=str(tmp_path / "taxonomy.csv"), predictions=(str(tmp_path / "parts"),))
    assert findings_panel._size(files) == 130
