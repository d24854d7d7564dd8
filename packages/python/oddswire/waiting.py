"""Waits that end when the user aborts."""

from __future__ import annotations

import time
from threading import Event
from typing import Optional

from .errors import Aborted

CHECK_SECONDS = 0.1
"""How often a wait looks at the events of the user, which wake nobody who reads from a socket."""

SECONDS_MAX = 86_400.0 * 24
"""A longer wait overflows in some systems: after this time, the caller tries again."""


class Stop:
    """Says whether the user has aborted a call: by the event of the call, or by closing the client."""

    def __init__(self, closed: Event, event: Optional[Event] = None) -> None:
        self._closed = closed
        self._event = event

    def check(self) -> None:
        if self._closed.is_set():
            raise Aborted("The client was closed.")
        if self._event is not None and self._event.is_set():
            raise Aborted("The stop event of the call was set.")

    def pause(self, seconds: float) -> None:
        """Waits, and raises `Aborted` at once when the user aborts."""
        end = time.monotonic() + min(seconds, SECONDS_MAX)
        while True:
            self.check()
            rest = end - time.monotonic()
            if rest <= 0:
                return
            if self._event is None:
                self._closed.wait(rest)
            else:
                self._event.wait(min(rest, CHECK_SECONDS))
