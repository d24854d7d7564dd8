"""Which parameters a response says that it honoured."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Protocol

_FILTERS = "Feed-Filters"

AS_OF = "Feed-As-Of"
"""The header of a page that honoured `as_of`."""

_HEADERS = {
    "as_of": AS_OF,
    "category": _FILTERS,
    "source_tier": _FILTERS,
    "relevance": _FILTERS,
    "source": _FILTERS,
    "source_type": _FILTERS,
    "author": _FILTERS,
    "effect": _FILTERS,
    "outcome": _FILTERS,
    "momentum": _FILTERS,
    "venue": _FILTERS,
    "market": _FILTERS,
    "q": _FILTERS,
}
"""The header in which a response says that it honoured the parameter."""


class Headers(Protocol):
    def get(self, name: str, /) -> Optional[str]:
        """None if the response has no such header."""


def ignored_parameter(query: Mapping[str, Any], headers: Headers) -> Optional[str]:
    """A parameter that a response of the feed does not say to have honoured; None if there is none.

    Then an instance of an earlier version has answered, which ignores parameters that it does not know: everything would
    appear to match.
    """
    filters = (headers.get(_FILTERS) or "").split(", ")
    for name, value in query.items():
        if value is None or name not in _HEADERS:
            continue
        header = _HEADERS[name]
        if not (name in filters if header == _FILTERS else headers.get(header) is not None):
            return name
    return None
