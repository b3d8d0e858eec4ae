"""The module that the browser draws samples with is made once, and kept where that can be."""

import pytest
import vl_convert

from hierviz.charts import ladder_module


@pytest.fixture
def made(monkeypatch):
    """How often the module was made."""
    calls = []

    def bundle(script):
        calls.append(script)
        return "export {};\u2713\n"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    ladder_module.browser_module.cache_clear()
    yield calls
    ladder_module.browser_module.cache_clear()


def of_a_new_start():
    ladder_module.browser_module.cache_clear()
    return ladder_module.browser_module()


def test_the_next_start_reads_what_the_first_one_made(made, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    assert of_a_new_start() == of_a_new_start() == "export {};\u2713\n"
    assert len(made) == 1
    (file,) = (tmp_path / "new" / "hierviz").iterdir()
    assert file.name == ladder_module.module_name()


def test_without_a_folder_each_start_makes_it(made, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert of_a_new_start() == of_a_new_start() == "export {};\u2713\n"
    assert len(made) == 2
