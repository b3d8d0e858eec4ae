"""`docs/formats.md` is what the registries say, and help and the page *Open files* list the same forms."""

import runpy
from pathlib import Path

import pytest

from hierviz.cli import main
from hierviz.readers.predictions_file import FORMS as PREDICTIONS
from hierviz.readers.taxonomy_file import FORMS as TAXONOMIES

DOCS = Path(__file__).parents[2] / "docs" / "formats.md"


def test_the_document_is_that_of_the_registries():
    text = DOCS.read_text()
    written = runpy.run_path(str(DOCS.with_name("formats_text.py")))["formats_text"]()
    assert text == written, "run python docs/formats_text.py > docs/formats.md"
    assert all(f"| `{key}` |" in text for key in (*TAXONOMIES, *PREDICTIONS))


@pytest.mark.parametrize("command", ["evaluate", "curve", "taxonomy", "predict"])
def test_help_lists_every_form(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    listed = said.split("form of the taxonomy where it is not detected:")[1]
    assert all(key in listed for key in TAXONOMIES)
