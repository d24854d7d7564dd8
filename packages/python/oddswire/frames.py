"""Tables for pandas: a row for each item and sub-market. `rows` needs no pandas."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Mapping, Optional

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped,import-not-found,unused-ignore]

Row = Dict[str, Any]

_CHANGE = ("known_at", "scored_at", "kind", "revision")
_EVENT = (
    "headline",
    "source_name",
    "source_type",
    "source_tier",
    "author",
    "feed_categories",
    "source_published_at",
    "endpoint_published_at",
)
_SUB_MARKET = ("sub_market_id", "sub_market_title", "market_url")
_EFFECT = ("affected_outcome", "effect", "relevance_bucket")
_SNAPSHOT = (
    "yes_ask",
    "no_ask",
    "volume_24h",
    "total_volume",
    "yes_tick_age_seconds",
    "no_tick_age_seconds",
)
_TIMES = ("known_at", "scored_at", "source_published_at", "endpoint_published_at")

COLUMNS = (
    *_CHANGE,
    "news_id",
    *_EVENT,
    "event_relevance",
    "main_market_id",
    "main_market_title",
    "relationship",
    *_SUB_MARKET,
    *_EFFECT,
    *_SNAPSHOT,
    "momentum_passed",
    "pre_move_pp",
)
"""The columns of every row. Those of a change are None for the items of pages, and those of a market without a market."""


def to_frame(records: Iterable[Any]) -> DataFrame:
    """A DataFrame of the rows of items, changes of a history, or messages. Needs pandas."""
    import pandas  # Not before it is needed: the client itself has no dependency.

    return pandas.DataFrame(list(rows(records)), columns=list(COLUMNS))


def rows(records: Iterable[Any]) -> Iterator[Row]:
    """A row for each sub-market of each record: items, changes of a history, or messages of `follow`.

    An item without markets and a retraction have one row. Messages that only move the position have none. Times are
    datetimes in UTC, and None if a publisher wrote something else.
    """
    for record in records:
        change, item = _parts_of(record)
        if change is None:
            continue
        found = list(_market_rows(item))
        for row in found or [{}]:
            whole = {**dict.fromkeys(COLUMNS), **change, **_event_row(item), **row}
            yield {**whole, **{name: _time(whole[name]) for name in _TIMES}}


def _parts_of(record: Mapping[str, Any]) -> Any:
    """The values of the change, or None if there is none; and the item, or None."""
    if "news_event" in record:
        return {}, record
    kind = record.get("kind") or record.get("type")
    if "kind" not in record and kind not in ("item", "retraction"):
        return None, None
    item = record.get("item")
    change = {name: record.get(name) for name in _CHANGE}
    news_id = item["news_event"]["id"] if record.get("id") is None and item else record.get("id")
    return {**change, "kind": kind, "news_id": news_id}, item


def _event_row(item: Optional[Mapping[str, Any]]) -> Row:
    if item is None:
        return {}
    event = item["news_event"]
    relevance = event["aggregate_event_relevance"]["bucket"]
    return {"news_id": event["id"], **_picked(event, _EVENT), "event_relevance": relevance}


def _market_rows(item: Optional[Mapping[str, Any]]) -> Iterator[Row]:
    for related in [] if item is None else item["related_markets"]:
        main = related["main_market"]
        for sub in related["sub_markets"]:
            yield {
                "main_market_id": main["market_id"],
                "main_market_title": main["market_title"],
                "relationship": related["market_relationship"]["bucket"],
                **_picked(sub, _SUB_MARKET),
                **_picked(sub["news_effect"], _EFFECT),
                **_picked(sub["market_snapshot"], _SNAPSHOT),
                "momentum_passed": sub["momentum"]["passed"],
                "pre_move_pp": sub["momentum"]["pre_move_pp"],
            }


def _picked(values: Mapping[str, Any], names: Iterable[str]) -> Row:
    return {name: values.get(name) for name in names}


_TIME = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


def _time(text: Optional[str]) -> Optional[datetime]:
    """`datetime.fromisoformat` reads `Z` and any number of digits only since Python 3.11."""
    match = _TIME.fullmatch(text or "")
    if match is None:
        return None
    seconds, fraction, zone = match.groups()
    digits = ((fraction or ".")[1:7]).ljust(6, "0")
    try:
        return datetime.fromisoformat(f"{seconds}.{digits}{'+00:00' if zone == 'Z' else zone}")
    except ValueError:
        return None

