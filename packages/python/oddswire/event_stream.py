"""The format `text/event-stream`."""

from __future__ import annotations

from typing import List, NamedTuple, Optional

from .lines import LineParser


class StreamEvent(NamedTuple):
    type: str
    data: str


class EventStreamParser:
    """Parses an event stream (WHATWG HTML, server-sent events) from bytes that may be split anywhere.

    An incomplete event at the end is never returned. `id` and `retry` are ignored, because every message of the service
    contains its position and its waiting time.
    """

    def __init__(self) -> None:
        self._lines = LineParser()
        self._type = ""
        self._data: List[str] = []

    def push(self, data: bytes) -> List[StreamEvent]:
        """Returns the events that these bytes complete."""
        events = (self._read(line) for line in self._lines.push(data))
        return [event for event in events if event is not None]

    def _read(self, line: str) -> Optional[StreamEvent]:
        if line == "":
            return self._dispatch()
        field, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]
        if field == "data":
            self._data.append(value)
        if field == "event":
            self._type = value
        return None

    def _dispatch(self) -> Optional[StreamEvent]:
        event = StreamEvent(self._type or "message", "\n".join(self._data)) if self._data else None
        self._type = ""
        self._data = []
        return event
