"""One connection to the service, whose waits have a time limit and end when the user aborts."""

from __future__ import annotations

import errno
import io
import os
import selectors
import socket
import ssl
import time
import zlib
from email.message import Message
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from threading import Thread
from typing import Any, List, Mapping, Optional, Tuple

from .errors import invalid_response
from .options import Address, Secret
from .waiting import CHECK_SECONDS, Stop

_AFTER_PAUSE_SECONDS = 0.25
"""After a pause of the process all limits have passed. Data that has already arrived is read in this time."""

_READ_BYTES = 65_536


class Limit:
    """The time limit of the next wait. Measures time, and reads no clock."""

    def __init__(self, seconds: float) -> None:
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._grace_end: Optional[float] = None

    def rest(self) -> float:
        """Seconds; 0 or less if the time is over."""
        return self._end - time.monotonic()

    def slice(self) -> float:
        """How long to wait before looking at the events of the user again. Raises `socket.timeout` at the end."""
        rest = self.rest()
        if rest <= 0:
            raise socket.timeout("timed out")
        return min(rest, CHECK_SECONDS)

    def read_slice(self) -> float:
        """Like `slice`, and once after the end a short time more, for all reads together."""
        now = time.monotonic()
        if now < self._end:
            return min(self._end - now, CHECK_SECONDS)
        if self._grace_end is None:
            self._grace_end = now + _AFTER_PAUSE_SECONDS
        if now >= self._grace_end:
            raise socket.timeout("timed out")
        return self._grace_end - now


class Connection:
    """An open request. Its response can be read for as long as the caller likes; the caller closes it."""

    def __init__(self, address: Address, limit: Limit, stop: Stop) -> None:
        self.limit = limit
        self._socket = _connected(address, limit, stop)
        self._wire = _Wire(self._socket, limit, stop)
        self._response: Optional[HTTPResponse] = None
        try:
            if address.scheme == "https":
                self._socket = self._wire.socket = _secured(self._socket, address.host, limit, stop)
        except BaseException:
            self.close()
            raise

    def get(
        self, address: Address, target: str, headers: Mapping[str, str], secret: Optional[Secret]
    ) -> Response:
        try:
            return Response(self._requested(address, target, headers, secret))
        except BaseException as error:
            # The frames of `http.client` have the key in their variables. Also an interrupt ends them.
            raise error.with_traceback(None)

    def _requested(
        self, address: Address, target: str, headers: Mapping[str, str], secret: Optional[Secret]
    ) -> HTTPResponse:
        client = HTTPConnection(address.host, address.port)
        client.response_class = _FinalResponse
        # `http.client` uses only these methods of a socket.
        client.sock = self._wire
        client.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
        client.putheader("Host", address.netloc)
        for name, value in headers.items():
            client.putheader(name, value)
        if secret is not None:
            client.putheader("Authorization", f"Bearer {secret.reveal()}")
        client.endheaders()
        self._response = client.getresponse()
        return self._response

    def close(self) -> None:
        for one in (self._response, self._wire, self._socket):
            if one is not None:
                one.close()


class Response:
    """A response whose body is read in pieces, and decompressed."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self.headers: Message = response.headers
        self._response = response
        # The length of `http.client` does not count what `read1` returned before Python 3.12.
        self._rest: Optional[int] = None if response.chunked else response.length
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        self._gunzip = _Gunzip() if encoding in ("gzip", "x-gzip") else None
        if self._gunzip is None and encoding not in ("identity", ""):
            raise invalid_response("The response has an encoding that was not asked for.")

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type") or ""

    def read(self) -> bytes:
        """The next bytes, and b"" at the end. Raises if the response was cut."""
        while True:
            data = self._read_wire()
            if self._gunzip is None:
                return data
            if data == b"":
                self._gunzip.end()
                return b""
            text = self._gunzip.push(data)
            if text != b"":
                return text

    def read_all(self) -> bytes:
        pieces: List[bytes] = []
        while True:
            data = self.read()
            if data == b"":
                return b"".join(pieces)
            pieces.append(data)

    def _read_wire(self) -> bytes:
        if self._rest is None:
            return self._response.read1(_READ_BYTES)
        if self._rest == 0:
            return b""
        data = self._response.read1(min(self._rest, _READ_BYTES))
        if data == b"":
            raise IncompleteRead(b"", self._rest)
        self._rest -= len(data)
        return data


class _FinalResponse(HTTPResponse):
    """Skips the responses before the final one, such as 103 Early Hints. `HTTPResponse` skips only 100."""

    def begin(self) -> None:
        super().begin()
        while self.status < 200:
            self.headers = None  # type: ignore[assignment]  # Otherwise it does not begin again.
            super().begin()


class _Gunzip:
    """Decompresses gzip, also of several members, from bytes that may be split anywhere."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(31)
        self._is_open = False

    def push(self, data: bytes) -> bytes:
        texts: List[bytes] = []
        while data != b"":
            if self._member.eof:
                self._member = zlib.decompressobj(31)
            texts.append(self._member.decompress(data))
            data = self._member.unused_data
            self._is_open = not self._member.eof
        return b"".join(texts)

    def end(self) -> None:
        if self._is_open:
            raise EOFError("the compressed response was cut")


class _Wire(io.RawIOBase):
    """What `http.client` takes for a socket, and for the file that it reads the response from."""

    def __init__(self, connected: socket.socket, limit: Limit, stop: Stop) -> None:
        self.socket = connected
        self._limit = limit
        self._stop = stop

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(self, _READ_BYTES)

    def sendall(self, data: bytes) -> None:
        # A request fits the buffer of the system.
        self.socket.settimeout(max(self._limit.rest(), 0.001))
        self.socket.sendall(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            self._stop.check()
            self.socket.settimeout(self._limit.read_slice())
            try:
                return self.socket.recv_into(buffer)
            except socket.timeout:
                continue

    def close(self) -> None:
        # `http.client` closes it while the response is still read. The connection closes the socket.
        pass


def _connected(address: Address, limit: Limit, stop: Stop) -> socket.socket:
    resolved = _resolved(address, limit, stop)
    failure: Optional[OSError] = None
    for n, (family, kind, protocol, _, target) in enumerate(resolved):
        # An address that does not answer leaves time for the next one.
        own = Limit(limit.rest() / (len(resolved) - n))
        one = socket.socket(family, kind, protocol)
        try:
            _connect(one, target, own, stop)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return one
        except OSError as error:
            one.close()
            failure = error
        except BaseException:
            one.close()
            raise
    raise failure or OSError(errno.EHOSTUNREACH, "The name has no address")


def _connect(one: socket.socket, target: Any, limit: Limit, stop: Stop) -> None:
    one.setblocking(False)
    code = one.connect_ex(target)
    if code not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EINTR):
        raise OSError(code, os.strerror(code))
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_WRITE)
        while not selector.select(limit.slice()):
            stop.check()
    code = one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code != 0:
        raise OSError(code, os.strerror(code))


_AddressInfo = Tuple[Any, Any, int, str, Any]


def _resolved(address: Address, limit: Limit, stop: Stop) -> List[_AddressInfo]:
    """Resolves the name in a thread, because the resolver of the system has no time limit."""
    found: List[List[_AddressInfo]] = []
    failed: List[OSError] = []

    def resolve() -> None:
        try:
            found.append(socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM))
        except OSError as error:
            failed.append(error)
        except UnicodeError:  # A label of the name is too long.
            failed.append(OSError(errno.EINVAL, "The name of the host is not valid"))

    thread = Thread(target=resolve, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(limit.slice())
        stop.check()
    if failed:
        raise failed[0]
    return found[0]


def _secured(plain: socket.socket, host: str, limit: Limit, stop: Stop) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    secured = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    while True:
        stop.check()
        secured.settimeout(limit.slice())
        try:
            secured.do_handshake()
            return secured
        except socket.timeout:
            continue
        except BaseException:
            secured.close()
            raise
