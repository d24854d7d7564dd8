"""The one error of the client, and how it is made from a response."""

from __future__ import annotations

import copyreg
import json
from typing import Any, Dict, List, Optional

CLIENT_CODES = (
    "connection_failed",
    "timed_out",
    "invalid_response",
    "invalid_options",
    "cursor_not_advancing",
    "invalid_webhook",
)
"""Codes of the client itself.

connection_failed: no complete response arrived. timed_out: it did not arrive in time. invalid_response: the response is not
one of the service, for example the page of a proxy. invalid_options: an option of the client or of a method is wrong.
cursor_not_advancing: a page leads to itself or to a newer one. invalid_webhook: the service did not send the delivery, or
not now.
"""


class OddswireError(Exception):
    """Every failure of a request. Decide by `code`; texts may change.

    A refusal without a problem document has the code `http_<status>`. A newer service can have further codes.
    """

    code: str
    status: Optional[int]
    """The HTTP status; None if there was no response."""
    retry_after_seconds: Optional[float]
    """The time to wait before the next request, if the service states one."""
    problem: Optional[Dict[str, Any]]
    """The problem document (RFC 9457); None if there was none."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        retry_after_seconds: Optional[float] = None,
        problem: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.problem = problem

    def __reduce__(self) -> Any:
        # `Exception` would call the class with the text alone. A pool of processes brings errors back in this way.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class Aborted(Exception):
    """The `stop` event of the call was set, or the client was closed."""


def invalid_response(message: str, status: int = 200) -> OddswireError:
    return OddswireError("invalid_response", message, status=status)


def invalid_options(message: str) -> OddswireError:
    return OddswireError("invalid_options", message)


def refusal_of(status: int, retry_after_seconds: Optional[float], text: str) -> OddswireError:
    """The error of a response that is no success."""
    problem = _problem_in(text)
    code = f"http_{status}" if problem is None else problem["code"]
    detail = None if problem is None else problem.get("detail")
    message = detail if isinstance(detail, str) else "The response has no problem document."
    message = " ".join([message, *_fault_texts(problem)])
    return OddswireError(
        code, message, status=status, retry_after_seconds=retry_after_seconds, problem=problem
    )


def _fault_texts(problem: Any) -> List[str]:
    """What is wrong with each parameter: without it, the message of a 400 does not help."""
    faults = None if problem is None else problem.get("errors")
    if not isinstance(faults, list):
        return []
    return [f"`{fault.get('parameter')}` {fault.get('message')}." for fault in faults if isinstance(fault, dict)]


def parsed(text: str) -> Any:
    """None if the text is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _problem_in(text: str) -> Optional[Dict[str, Any]]:
    value = parsed(text)
    return value if isinstance(value, dict) and isinstance(value.get("code"), str) else None
