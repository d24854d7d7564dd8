"""`oddswire export`: every change of the past in a file, which the same command continues."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, BinaryIO, Dict, Mapping, NamedTuple, Optional, Tuple

from .client import Oddswire
from .errors import OddswireError, invalid_options, parsed
from .history import History

_LINE_START = b'{"position":"'
_CHANGE = ("position", "kind", "known_at", "id", "item")


class Exported(NamedTuple):
    changes: int
    position: Optional[str]
    """Where a later export continues; None if nothing was read."""


def export(client: Oddswire, path: str, query: Mapping[str, Any]) -> Exported:
    """Adds the changes of a history to a file, after its last complete line.

    FILE.filters.json keeps the filters and the beginning: with other ones, the file would have gaps that nothing shows.
    Raises `invalid_options` if the file cannot be opened or continued like this, and OSError if it cannot be written.
    """
    with _opened(path) as file:
        size, position = _kept(file, path)
        _check_filters(path, position is None, query)
        file.truncate(size)
        # Written by its place: a second export of the same range into the same file writes the same bytes.
        file.seek(size)
        sent: Dict[str, Any] = dict(query)
        if position is not None:
            sent.update(after=position, since=None)
        history = client.history(**{name: value for name, value in sent.items() if value is not None})
        return Exported(_write(file, history), history.position)


def _write(file: BinaryIO, history: History) -> int:
    changes = 0
    for change in history:
        file.write((json.dumps(change, ensure_ascii=False, separators=(",", ":")) + "\n").encode())
        changes += 1
    return changes


def _opened(path: str) -> BinaryIO:
    try:
        # Without waiting: the other end of a named pipe may never come.
        number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise invalid_options(f"cannot use {path}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise invalid_options(f"cannot use {path}: it is no regular file")
    return open(number, "r+b")


def _kept(file: BinaryIO, path: str) -> Tuple[int, Optional[str]]:
    """The bytes up to the last line end, and the position of that line. A file with other content is left as it is."""
    file.seek(0)
    size, last = 0, b""
    for line in file:
        # A line that was cut begins like a line of an export too.
        if not line.startswith(_LINE_START[: len(line)]):
            raise _other_content(path)
        if line.endswith(b"\n"):
            size += len(line)
            last = line
    if last == b"":
        return 0, None
    change = parsed(last.decode("utf-8", "replace"))
    if not isinstance(change, dict) or any(name not in change for name in _CHANGE):
        raise _other_content(path)
    return size, change["position"]


def _other_content(path: str) -> OddswireError:
    return invalid_options(f"{path} has other content than an export of the history, and is left as it is.")


def _record(path: str) -> str:
    return f"{path}.filters.json"


def _check_filters(path: str, is_new: bool, query: Mapping[str, Any]) -> None:
    """The record has the bytes that the command of the TypeScript client writes: each continues the files of the other."""
    record = _record(path)
    begin = {name: query.get(name) for name in ("after", "since")}
    ordered = {**begin, **query, "until": None}
    fixed = {name: value for name, value in ordered.items() if value is not None}
    if is_new:
        with open(record, "w", encoding="utf-8", newline="") as file:
            file.write(json.dumps(fixed, ensure_ascii=False, separators=(",", ":")) + "\n")
        return
    before: Any = {}
    if os.path.exists(record):
        with open(record, encoding="utf-8") as file:
            before = parsed(file.read())
    if before != fixed:
        raise invalid_options(f"{path} was made with other filters or another beginning ({record}): use another file.")
