"""Lines for people: one for each item, message, change or market."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def line_of(value: Mapping[str, Any], columns: int) -> Optional[str]:
    """One line of at most `columns` characters; None for a message that only moves the position."""
    cells = _cells_of(value)
    if cells is None:
        return None
    # A text of a publisher must not control the terminal.
    text = "  ".join(_CONTROL.sub(" ", cell) for cell in cells)
    return text if len(text) <= columns else text[: columns - 1] + "…"


def _cells_of(value: Mapping[str, Any]) -> Optional[List[str]]:
    if "news_event" in value:
        return _item_cells(value["news_event"]["endpoint_published_at"], "item", value)
    if "market_id" in value:
        return _market_cells(value)
    kind = value.get("kind") or value.get("type")
    if kind in ("ready", "live", "heartbeat"):
        return None
    known_at = value.get("known_at") or ""
    item = value.get("item")
    if item is None:
        return [_second(known_at), f"{kind:<10}", str(value.get("id"))]
    return _item_cells(known_at, str(kind), item)


def _item_cells(time: str, kind: str, item: Mapping[str, Any]) -> List[str]:
    event = item["news_event"]
    prices = [
        f"{sub['market_snapshot']['yes_ask']:.2f}"
        for related in item["related_markets"]
        for sub in related["sub_markets"]
    ]
    return [
        _second(time),
        f"{kind:<10}",
        f"{event['aggregate_event_relevance']['bucket']:<6}",
        f"{' '.join(prices[:3]):<14}",
        event["headline"],
    ]


def _market_cells(market: Mapping[str, Any]) -> List[str]:
    snapshot = market["last_snapshot"]
    price = "" if snapshot is None else f"{snapshot['yes_ask']:.2f}"
    return [f"{market['kind']:<4}", f"{price:>5}", market["market_id"], market["market_title"]]


def _second(time: str) -> str:
    return f"{time[:19]:<19}".replace("T", " ")
