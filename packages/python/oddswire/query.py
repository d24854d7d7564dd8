"""The parameters of each call, and how they are written into a URL."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, List, Mapping, Sequence, Tuple, Type, TypedDict, Union
from urllib.parse import urlencode

from .api import ContentFilters
from .errors import invalid_options

Moment = Union[str, datetime]
"""A time, such as `2026-11-01T09:30:00Z`, or a datetime with a time zone."""


class PageQuery(ContentFilters, total=False):
    limit: int
    """Items of a page, from 1 to 500."""
    cursor: str
    """The `next_cursor` of the previous page."""
    since: Moment
    """Only items whose `scored_at` is this time or later."""
    news_id: str
    market_id: str
    as_of: Moment
    """The feed as it was at this position or time."""


class FollowQuery(ContentFilters, total=False):
    after: str
    """Begins with the changes after this position: of a message, or of a page. Takes precedence over `since`."""
    since: Moment
    """Begins with the items whose `scored_at` is this time or later, oldest first. At most 7 days back."""
    news_id: str
    """Only changes of this news event, with its retraction."""
    market_id: Union[str, Sequence[str]]
    """Only items with one of these sub-markets, up to 50, without their other sub-markets."""


class HistoryQuery(ContentFilters, total=False):
    after: str
    """The changes after this position. Takes precedence over `since`."""
    since: Moment
    """The changes that became known at this time or later."""
    until: Moment
    """Up to this position or time, included."""
    news_id: str
    market_id: Union[str, Sequence[str]]
    """Only items with one of these sub-markets, up to 50, without their other sub-markets."""


class MarketsQuery(TypedDict, total=False):
    ref: Union[str, Sequence[str]]
    """Only markets that one of these means, up to 20: an id, a URL, the last segment of a URL, or a token id."""
    q: str
    """Up to four words that the title has."""
    venue: str
    """The host of the URL, such as `polymarket.com`."""
    kind: str
    """`main` or `sub`."""
    main_market_id: str
    """Only the sub-markets of this main market."""
    sort: str
    """`news`: the newest item first. `id`: a walk lists every market, whatever is published meanwhile."""
    limit: int
    """Markets of a page, from 1 to 500."""
    cursor: str
    """The `next_cursor` of the previous page, with the same `sort`."""


_REPEATED = ("market_id", "market", "ref")
"""The parameters that are repeated. Other lists are joined by commas."""


def query_text(values: Mapping[str, Any]) -> str:
    """Writes a query. Values that are None are left out. Raises `invalid_options` if a list is empty."""
    pairs: List[Tuple[str, str]] = []
    for name, value in values.items():
        if value is not None:
            pairs.extend((name, text) for text in _texts_of(name, value))
    return urlencode(pairs)


def checked(query: Mapping[str, Any], allowed: Type[Any]) -> Mapping[str, Any]:
    """The query, if the call has all its parameters: a name with a typing error would otherwise select everything."""
    for name in query:
        if name not in allowed.__annotations__:
            raise invalid_options(f"`{name}` is no parameter of this call.")
    query_text(query)
    return query


def _texts_of(name: str, value: Any) -> List[str]:
    if isinstance(value, datetime):
        return [_time_text(name, value)]
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or not isinstance(value, (int, float, list, tuple, set, frozenset)):
        raise invalid_options(f"`{name}` must be a text, a number, a datetime or a list of texts.")
    if isinstance(value, (int, float)):
        return [str(value)]
    texts = [str(one) for one in value]
    if not texts:
        # Sent, it would select everything.
        raise invalid_options(f"`{name}` is an empty list: leave it out to select everything.")
    return texts if name in _REPEATED else [",".join(texts)]


def _time_text(name: str, value: datetime) -> str:
    if value.tzinfo is None:
        raise invalid_options(f"`{name}` has no time zone: use datetime.now(timezone.utc), for example.")
    return value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
