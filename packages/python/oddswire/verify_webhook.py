"""Deliveries of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .errors import OddswireError, invalid_options, parsed
from .messages import is_batch

_BODY_BYTES_MAX = 4_000_000


@dataclass(frozen=True)
class WebhookDelivery:
    id: str
    """The same in every repeat."""
    reset: bool
    """The service was restored to an older state: walk, and replace your data by the result."""
    messages: List[Dict[str, Any]]
    """`item` and `retraction`, as `follow` yields them."""
    position: str


def verify_webhook(
    *,
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, Any],
    body: Union[bytes, bytearray, str, Iterable[bytes]],
    now: Optional[float] = None,
    tolerance_seconds: float = 300,
) -> WebhookDelivery:
    """Verifies signature and age of a delivery, and parses it. Raises `invalid_webhook`.

    `secret` is `whsec_…`; during a rotation a list of the new one and the old one. `headers` are those of the request, and
    `body` is its body, not parsed: bytes, or pieces of bytes, which are read up to 4 MB. `now` is a Unix time in seconds.
    """
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    delivery_id, timestamp, signatures = (
        _header_of(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    age = (time.time() if now is None else now) - _number(timestamp)
    if not abs(age) <= tolerance_seconds:  # It is not a number if the header is not one.
        raise _invalid("timestamp")
    data = _joined(body)
    content = f"{delivery_id}.{timestamp}.".encode("latin-1", "replace") + data
    sent = [one.encode("utf-8", "replace") for one in signatures.split(" ")]
    expected = [_signature(key, content) for key in keys]
    if not any(hmac.compare_digest(own, one) for own in expected for one in sent):
        raise _invalid("signature")
    value = parsed(data.decode("utf-8-sig", "replace"))
    if not is_batch(value):
        raise _invalid("body")
    messages = [one for one in value["messages"] if one["type"] in ("item", "retraction")]
    return WebhookDelivery(delivery_id, value.get("reset") is True, messages, value["position"])


def _invalid(name: str) -> OddswireError:
    return OddswireError("invalid_webhook", f"Its {name} is not valid.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.replace("whsec_", ""), validate=True)
    except (AttributeError, ValueError, binascii.Error):
        key = b""
    if key == b"":
        raise invalid_options("`secret` must be the secret of a webhook: whsec_ and base64.")
    return key


def _header_of(headers: Mapping[str, Any], name: str) -> str:
    value = headers.get(name)
    if value is None:  # The names of a plain dict have any case.
        value = next((one for key, one in headers.items() if str(key).lower() == name), None)
    if not isinstance(value, str):
        raise _invalid(name)
    return value


def _number(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() else float("nan")


def _joined(body: Union[bytes, bytearray, str, Iterable[bytes]]) -> bytes:
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogatepass")
    whole = bytearray()
    for piece in [body] if isinstance(body, (bytes, bytearray)) else body:
        if len(whole) + len(piece) > _BODY_BYTES_MAX:
            raise _invalid("size")
        whole += piece
    return bytes(whole)


def _signature(key: bytes, content: bytes) -> bytes:
    return b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
