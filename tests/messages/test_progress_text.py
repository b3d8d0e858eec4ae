"""Rows done, rate and time left, on a clock of the test's own."""

import pytest

from hierviz.messages.progress import ProgressText


@pytest.mark.parametrize(
    ("seconds", "done", "total", "text"),
    [
        (0.5, 100, 1000, "100 of 1,000 rows"),
        (2, 12_000, 100_000, "12,000 of 100,000 rows, 6,000 a second, 15 s left"),
        (2, 100_000, 100_000, "100,000 of 100,000 rows"),
        (2, 0, 100_000, "0 of 100,000 rows"),
        (10, 1000, 100_000, "1,000 of 100,000 rows, 100 a second, 16 min left"),
        (100, 1000, 1_000_000, "1,000 of 1,000,000 rows, 10 a second, 27 h 45 min left"),
        (100, 10, 20, "10 of 20 rows, under 1 a second, 2 min left"),
        (10, 999, 1000, "999 of 1,000 rows, 100 a second, 1 s left"),
        (2, 12_000, 99_876.5, "12,000 of about 99,900 rows, 6,000 a second, 15 s left"),
        (2, 12, 12.5, "12 of about 12 rows, 6 a second, 1 s left"),
    ],
)
def test_text(seconds, done, total, text):
    now = [5.0]
    progress = ProgressText(lambda: now[0])
    progress(0, total)
    now[0] += seconds
    assert progress(done, total) == text


def test_what_comes_before_the_first_rows_is_not_in_the_rate():
    """Ten seconds of compiling, then a thousand rows a second."""
    now = [0.0]
    progress = ProgressText(lambda: now[0])
    now[0] = 10.0
    assert progress(1000, 10_000) == "1,000 of 10,000 rows"
    now[0] = 12.0
    assert progress(3000, 10_000) == "3,000 of 10,000 rows, 1,000 a second, 7 s left"
