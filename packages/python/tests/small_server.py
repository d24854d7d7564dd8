"""A small server for the tests."""

import json
import socket
import threading
import time
from contextlib import contextmanager

KEY = "svc_secret-of-the-tests"
PAGE = {"items": [], "next_cursor": None}
EMPTY = b""


def answer(body=EMPTY, status="200 OK", **headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def page(value=None, **headers):
    body = json.dumps(PAGE if value is None else value).encode()
    return answer(body, Content_Type="application/json", Feed_Position="p", **headers)


@contextmanager
def server(*answers):
    """Answers the connections with these bytes, one each; None keeps a connection open, and a bytearray after its bytes. A list
    is sent byte by byte, with 0.02 s before each. Yields address and requests."""
    requests, held = [], []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        for one in answers:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            requests.append(connection.recv(65_536).decode())
            if one is None or isinstance(one, bytearray):
                connection.sendall(one or b"")
                held.append(connection)
                continue
            try:
                for piece in [one] if isinstance(one, bytes) else one:
                    connection.sendall(bytes([piece]) if isinstance(piece, int) else piece)
                    time.sleep(0 if isinstance(one, bytes) else 0.02)
            except OSError:
                pass  # The client has ended the response.
            connection.close()
        listener.close()  # A further request is refused.

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
    finally:
        for one in (*held, listener):
            one.close()
