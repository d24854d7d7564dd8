"""The changes of a range, over any number of connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Generator, Iterator, List, Mapping, Optional, cast

from .api import HistoryChange
from .errors import OddswireError
from .frames import to_frame
from .history_lines import lines_once
from .resume import Resume
from .transport import Transport
from .waiting import Stop

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped,import-not-found,unused-ignore]


class History:
    """The changes of a range, oldest first. Iterate over it once."""

    def __init__(self, transport: Transport, query: Mapping[str, Any], stop: Stop) -> None:
        self._transport = transport
        self._resume = Resume(query)
        self._stop = stop

    @property
    def position(self) -> Optional[str]:
        """Covers the changes that you took, and after the last one all of the range: the `after` of a later history.

        None before the first change, if you gave no `after`.
        """
        return self._resume.position

    def to_list(self) -> List[HistoryChange]:
        return list(self)

    def to_frame(self) -> DataFrame:
        """A row for each change and sub-market. Needs pandas."""
        return to_frame(self)

    def __iter__(self) -> Iterator[HistoryChange]:
        return cast(Iterator[HistoryChange], self._changes())

    def _changes(self) -> Generator[Dict[str, Any], None, None]:
        attempt = 0
        while True:
            before = self.position
            failure = yield from self._read_once()
            if failure is None:
                return
            if self.position != before:
                attempt = 0
            self._transport.wait_or_raise(failure, attempt, self._stop)
            attempt += 1

    def _read_once(self) -> Generator[Dict[str, Any], None, Optional[OddswireError]]:
        """None at the end of the range."""
        try:
            return (yield from lines_once(self._transport, self._resume, self._stop))
        except OddswireError as error:
            return error
