"""A bad file gives one sentence that says what and where, in Python too; tests/cli/test_cli.py reads every one of them."""

import pytest

from hierviz.messages.errors import HiervizError
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.taxonomy_file import load_taxonomy
from tests.readers.bad_files import BAD_FILES, EDGES, SCORES, TRUTH

# One for each kind of file and fault.
SOME = ("PNG called CSV", "gap in a path", "truth column ambiguous", "npz that says it is huge", "cycle")


def load(taxonomy, predictions, **more):
    """What the command line does with these arguments."""
    return load_predictions(predictions, load_taxonomy(taxonomy), **more)


@pytest.mark.parametrize("name", SOME)
def test_bad_file_gives_one_sentence(name, tmp_path):
    arguments = BAD_FILES[name].write(tmp_path)
    with pytest.raises(HiervizError, match=BAD_FILES[name].match) as caught:
        load(**arguments)
    assert str(caught.value).isprintable()


def test_the_files_are_good_but_for_what_their_name_says(tmp_path):
    paths = {}
    for key, text in (("taxonomy", EDGES), ("predictions", SCORES), ("truth", TRUTH)):
        paths[key] = tmp_path / f"{key}.csv"
        paths[key].write_text(text)
    assert load(**paths).has_truth.all()


def test_there_are_enough_kinds():
    assert len(BAD_FILES) >= 30
