"""Lines of text from bytes that may be split anywhere."""

from __future__ import annotations

import codecs
import re
from typing import List

_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE_CHARACTERS_MAX = 16_000_000
"""An item has far less. Without a limit, a peer that sends no line end could fill the memory."""


class LineParser:
    """Splits bytes into lines. The bytes may be split anywhere, also inside a character or between CR and LF.

    An incomplete line at the end is never returned.
    """

    def __init__(self) -> None:
        # Bytes that are not UTF-8 raise UnicodeDecodeError: they are damaged, and the line must be requested again.
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._incomplete: List[str] = []
        self._characters = 0
        self._ended_with_cr = False

    def push(self, data: bytes) -> List[str]:
        """Returns the lines that these bytes complete."""
        text = self._decoder.decode(data)
        if text == "":
            return []
        starts_inside_crlf = self._ended_with_cr and text.startswith("\n")
        self._ended_with_cr = text.endswith("\r")
        lines = _LINE_END.split(text[1:] if starts_inside_crlf else text)
        self._incomplete.append(lines[0])
        self._characters += len(lines[0])
        if len(lines) > 1:
            lines[0] = "".join(self._incomplete)
            self._incomplete = [lines.pop()]
            self._characters = len(self._incomplete[0])
        else:
            lines = []
        if self._characters > _LINE_CHARACTERS_MAX:
            raise ValueError("a line of the stream is too long")
        return lines
