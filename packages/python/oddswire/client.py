"""The client of one service with one key."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, cast

from .api import MarketPage, OwnKey, Status, Usage
from .errors import invalid_response
from .follow import follow_feed
from .history import History
from .honoured import AS_OF
from .market_walk import MarketWalk
from .messages import FeedMessage
from .options import OnRetry
from .query import FollowQuery, HistoryQuery, MarketsQuery, PageQuery, checked, query_text
from .transport import Get, Transport
from .waiting import Stop
from .walk import Page, Walk

if TYPE_CHECKING:
    from typing_extensions import Unpack

_WALK_LIMIT = 500
"""The largest page."""


class Oddswire:
    """Every method raises `OddswireError`, or `Aborted` after `stop` was set or the client was closed.

    A client may be used by several threads. `stop` is a `threading.Event` that ends the call.
    """

    def __init__(
        self,
        url: Optional[str],
        key: Optional[str],
        *,
        retries: int = 5,
        timeout_seconds: float = 30,
        max_wait_seconds: float = 120,
        on_retry: Optional[OnRetry] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        """`url` is the address of the service without a path: `https://api.example.com`. `key` is an API key.

        `retries` are the attempts after a transient failure of a request; `follow` has no limit. `timeout_seconds` is the
        longest wait for one response; in a history, for the next bytes. A `Retry-After` of more than `max_wait_seconds` is
        raised and not waited for. `on_retry(error, wait_seconds)` is called before each wait. `headers` are sent with each
        request in addition, such as `Oddswire-Test` to a sandbox.
        """
        self._transport = Transport(url, key, retries, timeout_seconds, max_wait_seconds, on_retry, headers)

    def __enter__(self) -> Oddswire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Oddswire({str(self._transport.address)!r})"

    def close(self) -> None:
        """Ends all calls of this client, also in other threads. It has no open connections between calls."""
        self._transport.closed.set()

    def page(self, *, stop: Optional[Event] = None, **query: Unpack[PageQuery]) -> Page:
        """Reads one page."""
        sent = checked(query, PageQuery)
        get = Get(f"/pm/v2/news?{query_text(sent)}", self._stop(stop), query=sent)
        body, headers = self._transport.json(get, _is_page("items"))
        position = headers.get("Feed-Position")
        if position is None:
            raise invalid_response("The response has no header Feed-Position.")
        return Page(
            body["items"], body["next_cursor"], position, headers.get("Feed-Head"), headers.get(AS_OF)
        )

    def walk(self, *, stop: Optional[Event] = None, **query: Unpack[PageQuery]) -> Walk:
        """Reads all pages: `for item in client.walk(): …`. Its `position` is where to follow."""
        first = cast(PageQuery, {"limit": _WALK_LIMIT, **checked(query, PageQuery)})

        def read(cursor: Optional[str], as_of: Optional[str]) -> Page:
            later = {} if cursor is None else {"cursor": cursor}
            fixed = {} if as_of is None else {"as_of": as_of}
            return self.page(stop=stop, **cast(PageQuery, {**first, **later, **fixed}))

        return Walk(read)

    def follow(self, *, stop: Optional[Event] = None, **query: Unpack[FollowQuery]) -> Iterator[FeedMessage]:
        """Yields each publication, replacement and retraction as it happens, until you leave the loop or set `stop`.

        It reconnects by itself and misses nothing. Without `after` and `since` it begins now. It raises `position_expired`
        if the changes after the position are gone: then walk again.
        """
        messages = follow_feed(self._transport, checked(query, FollowQuery), self._stop(stop))
        return cast(Iterator[FeedMessage], messages)

    def history(self, *, stop: Optional[Event] = None, **query: Unpack[HistoryQuery]) -> History:
        """Yields every change of the past, oldest first, with the version that it brought: up to `until`, or else up to now.

        It continues by itself. Its `position` is where a later history, or `follow`, continues.
        """
        return History(self._transport, checked(query, HistoryQuery), self._stop(stop))

    def markets(self, *, stop: Optional[Event] = None, **query: Unpack[MarketsQuery]) -> MarketPage:
        """Reads one page of the directory of markets.

        With `ref` it finds markets, and `unknown` lists the references that none has.
        """
        path = f"/pm/v2/markets?{query_text(checked(query, MarketsQuery))}"
        return cast(MarketPage, self._transport.json(Get(path, self._stop(stop)), _is_page("markets")).body)

    def walk_markets(self, *, stop: Optional[Event] = None, **query: Unpack[MarketsQuery]) -> MarketWalk:
        """Reads all pages of the directory, in the order of the ids: `for market in client.walk_markets(): …`."""
        first = {"limit": _WALK_LIMIT, "sort": "id", **checked(query, MarketsQuery)}

        def read(cursor: Optional[str]) -> MarketPage:
            later = {} if cursor is None else {"cursor": cursor}
            return self.markets(stop=stop, **cast(MarketsQuery, {**first, **later}))

        return MarketWalk(read)

    def usage(self, *, stop: Optional[Event] = None) -> Usage:
        """The plan and the limits of the key. Costs no request."""
        return cast(Usage, self._transport.json(Get("/pm/v2/usage", self._stop(stop)), _has("limits")).body)

    def key(self, *, stop: Optional[Event] = None) -> OwnKey:
        """What the owner has set for the key: its expiry, allowed addresses and limits. Costs no request."""
        return cast(OwnKey, self._transport.json(Get("/pm/v2/key", self._stop(stop)), _has("key_id")).body)

    def status(self, *, stop: Optional[Event] = None) -> Status:
        """The state of the service. Sends no key."""
        get = Get("/status", self._stop(stop), is_public=True)
        return cast(Status, self._transport.json(get, _has("feed")).body)

    def _stop(self, event: Optional[Event]) -> Stop:
        return Stop(self._transport.closed, event)


def _has(name: str) -> Callable[[Any], bool]:
    """Whether the value is an object of the service: it has this member."""
    return lambda value: isinstance(value, Mapping) and name in value


def _is_page(items: str) -> Callable[[Any], bool]:
    """A page without `next_cursor` is incomplete: it must not look like the last one (contract section 2.1)."""

    def is_page(value: Any) -> bool:
        if not isinstance(value, Mapping) or "next_cursor" not in value:
            return False
        cursor = value["next_cursor"]
        return isinstance(value.get(items), list) and (cursor is None or isinstance(cursor, str))

    return is_page
