"""One connection of a history, in lines of JSON."""

from __future__ import annotations

import socket
import zlib
from http.client import HTTPException
from typing import Any, Dict, Generator, Iterator, Mapping, Optional

from .connection_errors import connection_failed, timed_out
from .errors import OddswireError, invalid_response, parsed
from .lines import LineParser
from .resume import Resume
from .transport import Get, Opened, Transport
from .waiting import Stop

_NDJSON = "application/x-ndjson"


def lines_once(
    transport: Transport, resume: Resume, stop: Stop
) -> Generator[Dict[str, Any], None, Optional[OddswireError]]:
    """Returns None at the end of the range, or else why the lines end before it."""
    path = f"/pm/v2/history?{resume.query_text()}"
    opened = transport.open(Get(path, stop, accept=_NDJSON, query=resume.query))
    try:
        if not opened.response.content_type.startswith(_NDJSON):
            raise invalid_response("The response is not in lines of JSON.")
        for line in _lines_of(opened, transport, stop):
            value = parsed(line)
            if not _is_line(value):
                raise invalid_response("A line of the response is damaged.")
            resume.move_to(value["position"])
            if "type" not in value:
                yield value
            elif value["type"] == "complete":
                return None
            elif value["type"] == "paused":
                return _paused_error(value)
            stop.check()  # The user gets none of the lines that have already arrived.
        # Also if it looks like the end of a response: after a cut, a proxy can end it as if it were complete.
        raise connection_failed(transport.address, EOFError())
    finally:
        opened.connection.close()


def _lines_of(opened: Opened, transport: Transport, stop: Stop) -> Iterator[str]:
    parser = LineParser()
    while True:
        opened.connection.limit.restart(transport.timeout)
        try:
            data = opened.response.read()
            lines = parser.push(data)
        except socket.timeout as error:
            stop.check()
            failure = timed_out(transport.address, error)
            raise failure from failure.__cause__
        except (OSError, HTTPException, EOFError, zlib.error, ValueError) as error:
            stop.check()
            # It was cut, or the bytes are not UTF-8.
            failure = connection_failed(transport.address, error)
            raise failure from failure.__cause__
        if data == b"":
            return
        yield from lines


def _is_line(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("position"), str)
        and ("type" in value or all(name in value for name in ("id", "kind", "item")))
    )


def _paused_error(line: Mapping[str, Any]) -> OddswireError:
    """The service says when to continue; a refusal that does not end by waiting is final by its status."""
    problem = line.get("problem") or {}
    return OddswireError(
        problem.get("code", "unavailable"),
        problem.get("detail", "The service needs the connection."),
        status=problem.get("status", 503),
        retry_after_seconds=line["retry_after_seconds"],
        problem=line.get("problem"),
    )
