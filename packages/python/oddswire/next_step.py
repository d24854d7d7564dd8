"""What `follow` does after a stream or a batch has ended: a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from .errors import OddswireError
from .retry import backoff, retry_delay, spread


@dataclass(frozen=True)
class Ended:
    """The connection ended or was silent, or its data was damaged."""

    error: OddswireError


@dataclass(frozen=True)
class Blocked:
    """Something on the way does not let streams through."""


@dataclass(frozen=True)
class Closing:
    """The service has closed the stream, and said why."""

    message: Mapping[str, Any]


@dataclass(frozen=True)
class Refused:
    error: OddswireError


@dataclass(frozen=True)
class Batch:
    """A complete batch. The next one is requested after `wait_seconds`."""

    wait_seconds: float


End = Union[Ended, Blocked, Closing, Refused, Batch]


@dataclass(frozen=True)
class Wait:
    seconds: float
    failure: Optional[OddswireError] = None
    """What `on_retry` gets; None if nothing failed."""


@dataclass(frozen=True)
class UseBatches:
    pass


@dataclass(frozen=True)
class GiveUp:
    error: OddswireError


Step = Union[Wait, UseBatches, GiveUp]

_BLOCKED_STATUSES = (406, 415, 501, 502)
"""A stream that is refused with one of these statuses was refused on the way: the service has none of them for it."""


def next_step(end: End, is_stream: bool, *, attempt: int, max_wait: float, random: float) -> Step:
    """`attempt` is the number of failures since the last message, and `random` is from 0 to 1."""
    if isinstance(end, Ended):
        return Wait(backoff(attempt, random), end.error)
    if isinstance(end, Batch):
        return Wait(end.wait_seconds)
    if isinstance(end, Blocked):
        return UseBatches()
    if isinstance(end, Closing):
        return _after_closing(end.message, max_wait, random)
    if is_stream and _is_refused_on_the_way(end.error.status, attempt):
        return UseBatches()
    seconds = retry_delay(end.error, attempt, max_wait, random)
    return GiveUp(end.error) if seconds is None else Wait(seconds, end.error)


def _is_refused_on_the_way(status: Optional[int], attempt: int) -> bool:
    """502 is also what a proxy answers while the service restarts: batches would then cost the quota."""
    return status in _BLOCKED_STATUSES and (status != 502 or attempt > 4)


def _after_closing(message: Mapping[str, Any], max_wait: float, random: float) -> Step:
    problem, seconds = message["problem"], message["retry_after_seconds"]
    error = OddswireError(
        problem["code"],
        problem["detail"],
        status=problem["status"],
        retry_after_seconds=seconds,
        problem=problem,
    )
    if seconds is not None and seconds <= max_wait:
        return Wait(spread(seconds, random), error)
    return GiveUp(error)
