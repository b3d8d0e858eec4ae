"""Images of charts are made in a separate process, whose failure is one line."""

import os

import pytest

import hierviz as hv

pytest.importorskip("vl_convert")

from hierviz.charts import picture_process

BARS = {"mark": "bar", "data": {"values": []}}


@pytest.fixture
def apart(monkeypatch):
    """A process of pictures that only this test has."""
    found = {}
    monkeypatch.setattr(picture_process, "_processes", found)
    yield found
    for process in found.values():
        picture_process._end(process)


def drawn(spec=BARS):
    return picture_process.picture("vegalite_to_svg", spec).decode()


def test_converter_that_ends_is_one_line_and_the_next_picture_is_drawn(apart, monkeypatch):
    program = picture_process._PROGRAM
    abort = "import vl_convert\nvl_convert.vegalite_to_svg = lambda spec: os.abort()\n"
    monkeypatch.setattr(picture_process, "_PROGRAM", program.replace("import vl_convert\n", abort))
    with pytest.raises(hv.HiervizError, match=r"^chart: expected one that vl-convert can draw, got an error .*code -6"):
        drawn()
    monkeypatch.setattr(picture_process, "_PROGRAM", program)
    assert drawn().startswith("<svg")
    (process,) = apart.values()
    assert process.poll() is None
    drawn()
    assert list(apart) == [os.getpid()]
    assert apart[os.getpid()] is process  # one for all pictures


def test_converter_that_does_not_end_is_ended(apart, monkeypatch):
    endless = "import vl_convert\nvl_convert.vegalite_to_svg = lambda spec: [0 for _ in iter(int, 1)]\n"
    monkeypatch.setattr(picture_process, "_PROGRAM", picture_process._PROGRAM.replace("import vl_convert\n", endless))
    monkeypatch.setattr(picture_process, "MOST_SECONDS", 0.5)
    with pytest.raises(hv.HiervizError, match="expected one that vl-convert can draw"):
        drawn()


def test_chart_that_cannot_be_drawn_is_one_line(apart):
    with pytest.raises(hv.HiervizError, match="expected one that vl-convert can draw") as raised:
        drawn({"mark": "no such mark"})
    assert "\n" not in str(raised.value)
    assert drawn().startswith("<svg")
