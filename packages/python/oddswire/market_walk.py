"""All markets of the directory, page by page."""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Set

from .api import Market, MarketPage
from .walk import not_advancing


class MarketWalk:
    """Iterate over it once."""

    def __init__(self, read: Callable[[Optional[str]], MarketPage]) -> None:
        self._read = read

    def to_list(self) -> List[Market]:
        return list(self)

    def __iter__(self) -> Iterator[Market]:
        # Cursors are opaque: only a repeated one shows that the walk would not end.
        seen: Set[str] = set()
        cursor: Optional[str] = None
        while True:
            page = self._read(cursor)
            yield from page["markets"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
            if cursor in seen:
                raise not_advancing()
            seen.add(cursor)
