"""One batch, with the same promise as the stream."""

from __future__ import annotations

import time
from random import random
from typing import Any, Dict, Generator

from .messages import is_batch, is_known
from .next_step import Batch, End
from .resume import Resume
from .retry import spread
from .transport import Get, Transport
from .waiting import Stop

_LIMIT = 500
_WAIT_SECONDS = 25
"""Shorter than the time limit of most proxies."""
_ANSWER_SECONDS = 15
_FREE_WAIT_SECONDS = 5
"""An empty batch that waited this long costs no request. One that was answered earlier is not repeated at once."""


def batch_once(transport: Transport, resume: Resume, stop: Stop) -> Generator[Dict[str, Any], None, End]:
    # The first batches do not wait: the user gets a position, and `live`, at once.
    wait = _WAIT_SECONDS if resume.was_live else 0
    started_at = time.monotonic()
    # Not `/pm/v2/changes`, which an instance of an older version does not have.
    path = f"/pm/v2/stream?{resume.query_text(limit=_LIMIT, wait=wait)}"
    get = Get(path, stop, timeout=wait + _ANSWER_SECONDS, query=resume.query)
    body = transport.once(get, is_batch).body
    is_early = time.monotonic() - started_at < _FREE_WAIT_SECONDS
    messages, position = body["messages"], body["position"]
    more = body.get("more", len(messages) == _LIMIT)
    for message in messages:
        if not is_known(message):
            continue
        resume.note(message)
        yield message
        stop.check()  # The user gets none of the others.
    is_live = not more and not resume.was_live
    # The position moves also past changes that do not pass the filter.
    is_new = is_live or position != resume.position
    progress = {"type": "live" if is_live else "heartbeat", "position": position}
    resume.note(progress)  # Also an empty batch is a success.
    if is_new:
        yield progress
    is_too_early = not messages and not more and is_early and wait > 0
    return Batch(spread(_FREE_WAIT_SECONDS, random()) if is_too_early else 0)
