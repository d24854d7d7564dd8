"""Where the next connection begins, and how often the last ones failed."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .query import query_text


class Resume:
    def __init__(self, query: Mapping[str, Any]) -> None:
        self.query = query
        """What the user asked for."""
        self.position: Optional[str] = query.get("after")
        """None until the first message, if the user gave none."""
        self.failures = 0
        """Failures since the last message."""
        self.was_live = False

    def note(self, message: Mapping[str, Any]) -> None:
        """Notes a message that the user gets now. `ready` alone is no success: the next message can be the damaged one."""
        self.position = message["position"]
        if message["type"] != "ready":
            self.failures = 0
        if message["type"] == "live":
            self.was_live = True

    def move_to(self, position: str) -> None:
        """The position of a message that the user does not get."""
        self.position = position

    def note_failure(self) -> None:
        self.failures += 1

    def query_text(self, **more: Any) -> str:
        """The query of the next connection: after the position, or else as the user asked."""
        filters = {name: value for name, value in self.query.items() if name not in ("after", "since")}
        start = {"since": self.query.get("since")} if self.position is None else {"after": self.position}
        return query_text({**start, **filters, **more})
