"""All pages of the feed, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Iterator, List, Optional

from .api import FeedItem
from .errors import OddswireError
from .frames import to_frame

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped,import-not-found,unused-ignore]


@dataclass(frozen=True)
class Page:
    """A page of the feed, newest item first."""

    items: List[FeedItem]
    next_cursor: Optional[str]
    position: str
    """Follow after this position, and you miss no change since this page. In a walk, that of the first page counts."""
    head: Optional[str]
    """The latest `scored_at` ever assigned: the `since` of the next poll. None while the feed is empty."""
    as_of: Optional[str]
    """With `as_of`: the position at which the page was read."""

    def to_frame(self) -> DataFrame:
        """A row for each item and sub-market. Needs pandas."""
        return to_frame(self.items)


class Walk:
    """All items of the feed, newest first, page by page. Iterate over it once."""

    def __init__(self, read: Callable[[Optional[str], Optional[str]], Page]) -> None:
        """`read` reads the page after a cursor, at the position of the first page, so that all pages are of one state."""
        self._read = read
        self._first: Optional[Page] = None

    @property
    def position(self) -> str:
        """The position of the first page: follow after it, and you miss no change of the time of the walk."""
        if self._first is None:
            raise RuntimeError("The first page is not read yet: iterate over the walk first.")
        return self._first.position

    def to_list(self) -> List[FeedItem]:
        return list(self)

    def to_frame(self) -> DataFrame:
        """A row for each item and sub-market. Needs pandas."""
        return to_frame(self)

    def __iter__(self) -> Iterator[FeedItem]:
        cursor: Optional[str] = None
        while True:
            page = self._read(cursor, None if self._first is None else self._first.as_of)
            self._first = self._first or page
            yield from page.items
            if page.next_cursor is None:
                return
            # Cursors are times of one fixed form, and become older with each page.
            if cursor is not None and page.next_cursor >= cursor:
                raise not_advancing()
            cursor = page.next_cursor


def not_advancing() -> OddswireError:
    return OddswireError("cursor_not_advancing", "The walk would not end. A proxy may repeat a page.")
