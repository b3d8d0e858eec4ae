"""The pictures of the samples of a report, made smaller or left out where they would need more room than there is."""

from __future__ import annotations

import base64

# Pixels of the longer side, tried in this order.
SIDES = (480, 240, 120)


def sample_pictures(predictions, rows, max_mb):
    """Pictures that need at most so many megabytes together.

    Parameters
    ----------
    predictions : Predictions
    rows : sequence of int
    max_mb : float
        Millions of bytes, as they are written into the page.

    Returns
    -------
    urls : dict of int to str
        Row to an address that holds the picture itself.
    note : str
        What was made smaller or left out, as a sentence; empty where nothing was.
    """
    if predictions.media is None:
        return {}, ""
    rows, urls, left_out = list(dict.fromkeys(rows)), {}, 0
    for side in SIDES:
        urls = {row: _url(png) for row in rows if (png := predictions.picture(row, side))}
        if sum(map(len, urls.values())) <= max_mb * 1e6:
            break
    while urls and sum(map(len, urls.values())) > max_mb * 1e6:
        urls.popitem()
        left_out += 1
    said = []
    if urls and side != SIDES[0]:
        said.append(f"Pictures were reduced to {side} pixels")
    if left_out:
        said.append(f"{left_out} of {len(urls) + left_out} pictures were left out")
    return urls, f"{' and '.join(said)} to keep to {max_mb:g} MB of pictures." if said else ""


def _url(png):
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
