"""When a web socket's messages pass between a browser and the app's server, seen on the wire between them.

A browser that is drawing reads its messages late: seen from inside the page, its own work looks like the server's.
"""

import socket
import threading
import time

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

CONTINUED, TEXT, BINARY = 0, 1, 2
# Bits of the first two bytes of a frame.
FINAL, KIND, MASKED, LENGTH = 0x80, 0x0F, 0x80, 0x7F
READ = 1 << 16


class Wire:
    """A relay before the server at `port`, at `url`, that lists in `passed` what passes: (time, "asked" or "finished").

    "asked" is a message of the browser; "finished" the server's message that a run of the page is finished. Times are those
    of `time.perf_counter`. Everything else passes unseen.
    """

    def __init__(self, port):
        self.passed, self._port = [], port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        """Take no more connections; those that are open end with either side."""
        self._door.close()

    def _accept(self):
        while True:
            try:
                browser, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            for end in (browser, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for ends in ((browser, server, self._asked), (server, browser, self._answered)):
                threading.Thread(target=_relay, args=ends, daemon=True).start()

    def _asked(self, now, _):
        self.passed.append((now, "asked"))

    def _answered(self, now, content):
        if ForwardMsg.FromString(content).WhichOneof("type") == "script_finished":
            self.passed.append((now, "finished"))


def _relay(source, target, note):
    """Hand on what one end sends to the other, and `note(time, content)` the messages of a web socket."""
    head, messages = bytearray(), None
    try:
        while content := source.recv(READ):
            now = time.perf_counter()
            target.sendall(content)
            if messages is None:
                head += content
                # A connection is one of a web socket from its first request on, or never.
                before, end, rest = head.partition(b"\r\n\r\n")
                if end and b"upgrade: websocket" in before.lower():
                    messages = Messages()
                    content = rest
                elif end:
                    messages = False
            if messages:
                for message in messages.of(content):
                    note(now, message)
    except OSError:
        pass
    finally:
        for end in (source, target):
            end.close()


class Messages:
    """The messages in a stream of frames of a web socket, uncompressed; see RFC 6455, section 5.2."""

    def __init__(self):
        self._stream, self._message = bytearray(), bytearray()

    def of(self, content):
        """Contents of the messages that end in the next bytes of the stream: list of bytes; masked ones stay masked."""
        self._stream += content
        found = []
        while (frame := self._frame()) is not None:
            first, payload = frame
            if first & KIND not in (CONTINUED, TEXT, BINARY):
                continue
            self._message += payload
            if first & FINAL:
                found.append(bytes(self._message))
                self._message.clear()
        return found

    def _frame(self):
        stream = self._stream
        if len(stream) < 2:
            return None
        length, start = stream[1] & LENGTH, 2
        wide = {126: 2, 127: 8}.get(length, 0)
        if wide:
            length = int.from_bytes(stream[2 : 2 + wide], "big")
            start += wide
        start += 4 if stream[1] & MASKED else 0
        if len(stream) < start + length:
            return None
        frame = stream[0], bytes(stream[start : start + length])
        del stream[: start + length]
        return frame
