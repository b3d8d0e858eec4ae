"""A request that is refused: one line of plain text."""


async def refuse(send, status, words, header):
    """Answer a request of HTTP with a line of text.

    Parameters
    ----------
    send : callable
        ASGI's.
    status : int
    words : str
        Without the end of the line.
    header : (bytes, bytes)
        One more header, its name in lower case.
    """
    headers = [(b"content-type", b"text/plain; charset=utf-8"), header]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{words}\n".encode()})
