"""Sends requests with the key. The key is in no error."""

from __future__ import annotations

import socket
import zlib
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from random import random
from threading import Event
from typing import Any, Callable, Dict, Mapping, NamedTuple, NoReturn, Optional

from .connection import Connection, Limit, Response
from .connection_errors import connection_failed, timed_out
from .errors import Aborted, OddswireError, invalid_response, parsed, refusal_of
from .honoured import ignored_parameter
from .options import Address, OnRetry, address_of, count_of, headers_of, key_of, seconds_of
from .retry import retry_after_seconds, retry_delay
from .waiting import SECONDS_MAX, Stop


class Opened(NamedTuple):
    """A response with status 200 whose body is not read yet, and the connection that it comes on."""

    response: Response
    connection: Connection


@dataclass(frozen=True)
class Get:
    path: str
    stop: Stop
    accept: str = "application/json"
    timeout: Optional[float] = None
    is_public: bool = False
    query: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of a request to the feed. A response that did not honour one of them is an error."""


class Json(NamedTuple):
    body: Dict[str, Any]
    headers: Message


_FAULTS = (OSError, HTTPException, EOFError, zlib.error, UnicodeError)
"""What the standard library raises if a connection fails, or if its data is damaged."""

_AGENT = "oddswire-python"


class Transport:
    def __init__(
        self,
        url: Optional[str],
        key: Optional[str],
        retries: int,
        timeout: float,
        max_wait: float,
        on_retry: Optional[OnRetry],
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._secret = key_of(key)
        self.address: Address = address_of(url)
        self._retries = count_of("retries", retries)
        self.timeout = seconds_of("timeout_seconds", timeout)
        self.max_wait = seconds_of("max_wait_seconds", max_wait, may_be_zero=True)
        self._on_retry = on_retry
        self._headers = headers_of(headers)
        self.closed = Event()

    def json(self, get: Get, is_body: Callable[[Any], bool]) -> Json:
        """The JSON of a response and its headers. Repeats the request after a transient failure."""
        attempt = 0
        while True:
            try:
                return self.once(get, is_body)
            except OddswireError as error:
                self.wait_or_raise(error, attempt, get.stop)
            attempt += 1

    def wait_or_raise(self, failure: OddswireError, attempt: int, stop: Stop) -> None:
        """Waits before the next attempt. Raises the failure if it is final, or the request was repeated often enough."""
        seconds = retry_delay(failure, attempt, self.max_wait, random()) if attempt < self._retries else None
        if seconds is None:
            raise failure
        self.pause(seconds, failure, stop)

    def pause(self, seconds: float, failure: Optional[OddswireError], stop: Stop) -> None:
        if failure is not None and self._on_retry is not None:
            self._on_retry(failure, seconds)
        stop.pause(seconds)

    def once(self, get: Get, is_body: Callable[[Any], bool]) -> Json:
        """The JSON of one request, without retries."""
        opened = self.open(get)
        try:
            text = opened.response.read_all().decode("utf-8-sig", "replace")
        except _FAULTS as error:
            self._fail(error, get.stop)
        finally:
            opened.connection.close()
        body = parsed(text)
        if not is_body(body):
            raise invalid_response("The response is not JSON of the service.")
        return Json(body, opened.response.headers)

    def open(self, get: Get) -> Opened:
        """A response whose body the caller reads for as long as it likes. The caller closes the connection."""
        get.stop.check()
        connection: Optional[Connection] = None
        try:
            limit = Limit(min(get.timeout or self.timeout, SECONDS_MAX))
            connection = Connection(self.address, limit, get.stop)
            response = self._send(get, connection)
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, _FAULTS):
                self._fail(error, get.stop)
            raise
        return Opened(response, connection)

    def _send(self, get: Get, connection: Connection) -> Response:
        headers = {
            **self._headers,
            "Accept": get.accept,
            "Accept-Encoding": "gzip",
            "User-Agent": _AGENT,
            "Connection": "close",
        }
        secret = None if get.is_public else self._secret
        # A redirect is an answer like any other: the key goes to no other server.
        response = connection.get(self.address, self.address.path + get.path, headers, secret)
        status = response.status
        if status == 200:
            # The page of a proxy has no headers of the service either: the caller tells it by its type.
            is_of_service = response.content_type.startswith(get.accept)
            ignored = ignored_parameter(get.query, response.headers) if is_of_service else None
            if ignored is None:
                return response
            message = f"An instance of an earlier version ignored `{ignored}`."
            raise OddswireError("unavailable", message, status=status)
        seconds = retry_after_seconds(response.headers.get("Retry-After"), response.headers.get("Date"))
        raise refusal_of(status, seconds, self._text_of(response))

    def _text_of(self, response: Response) -> str:
        try:
            text = response.read_all().decode("utf-8", "replace")
        except _FAULTS:
            return ""
        # A server that repeats the request in its answer must not bring the key into an error.
        return text.replace(self._secret.reveal(), "[key]")

    def _fail(self, error: BaseException, stop: Stop) -> NoReturn:
        # The frames of `http.client` have the request in their variables, and its errors have the text of the server.
        error.with_traceback(None)
        try:
            stop.check()
        except Aborted as aborted:
            raise aborted from None
        if isinstance(error, socket.timeout):
            raise timed_out(self.address, error)
        raise connection_failed(self.address, error)
