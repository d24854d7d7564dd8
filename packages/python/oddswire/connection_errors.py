"""Names the address and the cause of a failed connection."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Optional

from .errors import OddswireError
from .options import Address


def connection_failed(address: Address, error: BaseException) -> OddswireError:
    """No response, or not all of it."""
    reason = _reason_of(error)
    text = "" if reason is None else f" ({reason})"
    message = f"There is no complete response from {address}{text}."
    return _because_of(error, OddswireError("connection_failed", message))


def timed_out(address: Address, error: BaseException) -> OddswireError:
    return _because_of(error, OddswireError("timed_out", f"The response from {address} took too long."))


def _because_of(error: BaseException, failure: OddswireError) -> OddswireError:
    """Only errors of the system have no text of the server. Their frames have the request in their variables."""
    failure.__cause__ = error.with_traceback(None) if isinstance(error, OSError) else None
    return failure


def _reason_of(error: BaseException) -> Optional[str]:
    """Why the connection failed, in a word; None if the system does not say."""
    if isinstance(error, ssl.SSLError):
        return error.reason
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    if not isinstance(error, OSError):
        return None
    return errno.errorcode.get(error.errno or 0)
