"""Every change after the start, over any number of connections."""

from __future__ import annotations

import math
import time
from random import random
from typing import Any, Dict, Generator, Iterator, Mapping

from .batches import batch_once
from .errors import OddswireError
from .next_step import End, Ended, GiveUp, Refused, UseBatches, next_step
from .resume import Resume
from .stream import stream_once
from .transport import Transport
from .waiting import Stop

_STREAM_AGAIN_SECONDS = 300
"""A network that blocks streams can change: a stream is tried again after this time."""


def follow_feed(transport: Transport, query: Mapping[str, Any], stop: Stop) -> Iterator[Dict[str, Any]]:
    """The position of a message is used only after the user took the message: the next one is requested when the user asks."""
    resume = Resume(query)
    blocked_until = -math.inf
    while True:
        is_stream = time.monotonic() >= blocked_until
        end = yield from _connect_once(transport, resume, is_stream, stop)
        step = next_step(
            end, is_stream, attempt=resume.failures, max_wait=transport.max_wait, random=random()
        )
        if isinstance(step, GiveUp):
            raise step.error
        if isinstance(step, UseBatches):
            blocked_until = time.monotonic() + _STREAM_AGAIN_SECONDS
        else:
            transport.pause(step.seconds, step.failure, stop)
        if isinstance(end, (Ended, Refused)):
            resume.note_failure()


def _connect_once(
    transport: Transport, resume: Resume, is_stream: bool, stop: Stop
) -> Generator[Dict[str, Any], None, End]:
    connect = stream_once if is_stream else batch_once
    try:
        return (yield from connect(transport, resume, stop))
    except OddswireError as error:
        return Refused(error)
