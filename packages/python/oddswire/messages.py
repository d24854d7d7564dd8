"""The messages of streams and batches."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

from .api import StreamItem, StreamRetraction


class Progress(TypedDict):
    type: Literal["ready", "live", "heartbeat"]
    position: str


FeedMessage = Union[StreamItem, StreamRetraction, Progress]
"""What `follow` yields.

Apply `item` as an upsert by `news_event.id`, and `retraction` as a removal. `live` says that all changes up to now were
sent. The others only move the position. `position` covers everything up to the message: store it together with the data,
or after it.
"""

_KNOWN_TYPES = ("ready", "item", "retraction", "live", "heartbeat", "closing")


def is_message(value: Any) -> bool:
    """Whether it is any message of the service, also of a type that this version does not know."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and isinstance(value.get("position"), str)
    )


def is_known(message: Any) -> bool:
    return message["type"] in _KNOWN_TYPES


def is_batch(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("position"), str):
        return False
    messages = value.get("messages")
    return isinstance(messages, list) and all(map(is_message, messages))
