"""What every error keeps to."""


def one_line(raised):
    """The text of an error after a look at its form."""
    text = str(raised.value)
    assert "\n" not in text
    assert "expected" in text or "no picture named" in text
    return text
