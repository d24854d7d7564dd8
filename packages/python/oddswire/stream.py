"""One connection with Server-Sent Events."""

from __future__ import annotations

import zlib
from http.client import HTTPException
from typing import Any, Deque, Dict, Generator, Optional, Union
from collections import deque
from socket import timeout as SocketTimeout

from .connection_errors import connection_failed, timed_out
from .errors import OddswireError, invalid_response, parsed
from .event_stream import EventStreamParser, StreamEvent
from .messages import is_known, is_message
from .next_step import Blocked, Closing, End, Ended
from .options import Address
from .resume import Resume
from .transport import Get, Opened, Transport
from .waiting import Stop

_FIRST_MESSAGE_SECONDS = 5.0
"""The service sends its first message at once. If none arrives in this time, a proxy collects the stream."""

_EVENT_STREAM = "text/event-stream"


def stream_once(transport: Transport, resume: Resume, stop: Stop) -> Generator[Dict[str, Any], None, End]:
    opened = _opened(transport, resume, stop)
    if opened is None:
        return Blocked()
    try:
        if not opened.response.content_type.startswith(_EVENT_STREAM):
            return Blocked()
        return (yield from _messages_of(_MessageReader(opened, transport.address, stop), resume))
    finally:
        opened.connection.close()


def _opened(transport: Transport, resume: Resume, stop: Stop) -> Optional[Opened]:
    """None if there is no response in the time of the first message."""
    path = f"/pm/v2/stream?{resume.query_text()}"
    get = Get(path, stop, accept=_EVENT_STREAM, timeout=_FIRST_MESSAGE_SECONDS, query=resume.query)
    try:
        return transport.open(get)
    except OddswireError as error:
        if error.code == "timed_out":
            return None
        raise


def _messages_of(reader: _MessageReader, resume: Resume) -> Generator[Dict[str, Any], None, End]:
    while True:
        message = reader.next()
        if isinstance(message, (Ended, Blocked)):
            return message
        if message["type"] == "closing":
            resume.move_to(message["position"])
            return Closing(message)
        resume.note(message)
        yield message


class _MessageReader:
    """Reads the messages of one connection. The time limit runs only while it waits for the service."""

    def __init__(self, opened: Opened, address: Address, stop: Stop) -> None:
        self._opened = opened
        self._address = address
        self._stop = stop
        self._parser = EventStreamParser()
        self._events: Deque[StreamEvent] = deque()
        self._silence: Optional[float] = None
        """Seconds; None until `ready` states the interval of the heartbeat."""

    def next(self) -> Union[Dict[str, Any], Ended, Blocked]:
        """The next message of a known type. `Blocked`: not even the first one arrived."""
        while True:
            self._stop.check()  # The user gets none of the messages that have already arrived.
            if not self._events:
                end = self._read_more()
                if end is not None:
                    return end
                continue
            message = parsed(self._events.popleft().data)
            if not is_message(message):
                # Damaged: it must be requested again.
                return Ended(invalid_response("A message of the stream is damaged."))
            if not is_known(message):
                continue
            # A connection without a byte for two intervals is dead.
            if message["type"] == "ready":
                self._silence = 2.0 * message["heartbeat_seconds"]
            return message  # type: ignore[no-any-return]

    def _read_more(self) -> Union[Ended, Blocked, None]:
        response, connection = self._opened
        connection.limit.restart(_FIRST_MESSAGE_SECONDS if self._silence is None else self._silence)
        try:
            data = response.read()
            self._events.extend(self._parser.push(data))
        except SocketTimeout as error:
            return Blocked() if self._silence is None else Ended(timed_out(self._address, error))
        except (OSError, HTTPException, EOFError, zlib.error, ValueError) as error:
            # The connection was cut, or the bytes are not UTF-8.
            return Ended(connection_failed(self._address, error))
        return Ended(connection_failed(self._address, EOFError())) if data == b"" else None
