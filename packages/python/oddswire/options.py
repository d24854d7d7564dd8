"""The options of a client, checked."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional
from urllib.parse import SplitResult, urlsplit

from .errors import OddswireError, invalid_options

OnRetry = Callable[[OddswireError, float], None]
"""Gets the failure and the wait before the next attempt, in seconds."""

_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")
"""What `http.client` sends of a key and of an address. Any other text would appear in its error."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]+")
_OWN_HEADERS = (
    *("accept", "accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"),
    *("authorization", "x-api-key"),
)


class Address(NamedTuple):
    """Where the service is. It has no credentials, so it may appear in errors."""

    scheme: str
    host: str
    port: int
    netloc: str
    path: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"


class Secret:
    """A text that appears in no `repr`, no traceback with local variables, and no copy of the object."""

    def __init__(self, text: str) -> None:
        self.reveal: Callable[[], str] = lambda: text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> Any:
        raise TypeError("A client cannot be copied or stored: it has a key.")


def key_of(key: Optional[str]) -> Secret:
    if key is None or key == "":
        raise invalid_options("`key` must be an API key, and is missing.")
    if not isinstance(key, str) or _VISIBLE_ASCII.fullmatch(key) is None:
        raise invalid_options("`key` must be an API key: visible ASCII characters.")
    return Secret(key)


def address_of(url: Optional[str]) -> Address:
    """The errors do not contain the input, which can have a key in the wrong place."""
    parts = None
    try:
        parts = urlsplit(url) if isinstance(url, str) and _VISIBLE_ASCII.fullmatch(url) else None
        port = None if parts is None else parts.port
    except ValueError:
        parts = None
    if parts is None or not parts.hostname or parts.scheme not in ("http", "https") or _has_more(parts):
        raise invalid_options(
            "`url` must be an address such as https://api.example.com, without credentials, query and fragment."
        )
    return Address(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or (443 if parts.scheme == "https" else 80),
        netloc=parts.netloc,
        path=parts.path.rstrip("/"),
    )


def _has_more(parts: SplitResult) -> bool:
    return bool(parts.username is not None or parts.password is not None or parts.query or parts.fragment)


def count_of(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise invalid_options(f"`{name}` must be a whole number from 0.")
    return value


def headers_of(headers: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """The errors contain no value, which can be a key."""
    given = dict(headers or {})
    for name, value in given.items():
        if not isinstance(name, str) or _HEADER_NAME.fullmatch(name) is None or name.lower() in _OWN_HEADERS:
            raise invalid_options("`headers` must have names of headers, without those of the client and of the key.")
        if not isinstance(value, str) or _HEADER_VALUE.fullmatch(value) is None:
            raise invalid_options(f"`headers` must have a text of visible ASCII characters for {name}.")
    return given


def seconds_of(name: str, value: float, *, may_be_zero: bool = False) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or value < 0 or (value == 0 and not may_be_zero):
        least = "from 0" if may_be_zero else "above 0"
        raise invalid_options(f"`{name}` must be a number of seconds {least}.")
    return float(value)
