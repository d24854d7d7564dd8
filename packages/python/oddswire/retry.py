"""When a request is repeated, and after what wait. All times are in seconds."""

from __future__ import annotations

import math
import re
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Optional

from .errors import OddswireError

_BACKOFF_SECONDS = 0.5
_BACKOFF_SECONDS_MAX = 30.0
_TRANSIENT_CODES = ("connection_failed", "timed_out", "invalid_response", "unavailable")
_TRANSIENT_STATUSES = (408, 429)


def is_transient(failure: OddswireError) -> bool:
    status = failure.status
    return failure.code in _TRANSIENT_CODES or (
        status is not None and (status >= 500 or status in _TRANSIENT_STATUSES)
    )


def retry_delay(failure: OddswireError, attempt: int, max_wait: float, random: float) -> Optional[float]:
    """The wait before the next attempt; None if the failure is final.

    `attempt` is 0 after the first failure, and `random` is from 0 to 1. Clients that failed together do not return together.
    """
    if not is_transient(failure):
        return None
    seconds = failure.retry_after_seconds
    if seconds is None:
        return backoff(attempt, random)
    return None if seconds > max_wait else spread(seconds, random)


def spread(seconds: float, random: float) -> float:
    """The time that the service asks for, but at least 0.5 s, and up to half of it more."""
    return max(_BACKOFF_SECONDS, seconds) * (1 + random / 2)


def backoff(attempt: int, random: float) -> float:
    """Doubles with each attempt, from 0.5 s to 30 s, and up to half of it more."""
    doublings = min(attempt, 10)  # A greater power does not fit a float, and changes nothing.
    return min(_BACKOFF_SECONDS_MAX, _BACKOFF_SECONDS * 2.0**doublings) * (1 + random / 2)


def retry_after_seconds(retry_after: Optional[str], date: Optional[str]) -> Optional[float]:
    """Seconds of a `Retry-After` header; None without a valid one.

    An HTTP date is compared with the `Date` of the same response, and not with the local clock, which can be wrong.
    """
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", retry_after):
        return float(retry_after)
    end, start = _timestamp(retry_after), _timestamp(date)
    return None if math.isnan(end - start) else max(0.0, end - start)


def _timestamp(text: Optional[str]) -> float:
    """Not a number if the text is no HTTP date."""
    try:
        moment = parsedate_to_datetime(text or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
