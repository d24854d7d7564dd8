"""The same client for asyncio. The calls of `Oddswire` run in threads; a cancelled task ends its call."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import (
    TYPE_CHECKING,
    AsyncIterator,
    Callable,
    Generic,
    Iterable,
    List,
    Mapping,
    Optional,
    TypeVar,
)

from .api import FeedItem, HistoryChange, Market, MarketPage, OwnKey, Status, Usage
from .client import Oddswire
from .history import History
from .messages import FeedMessage
from .options import OnRetry
from .query import FollowQuery, HistoryQuery, MarketsQuery, PageQuery
from .walk import Page, Walk

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
_END = object()


class _Worker:
    """A thread that runs calls one after the other. The end of the interpreter waits for an executor, but not for a daemon."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Optional[Callable[[], object]]] = SimpleQueue()
        Thread(target=self._work, name="oddswire", daemon=True).start()

    async def run(self, call: Callable[[], T]) -> T:
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

        self._calls.put(work)
        return await asyncio.wrap_future(future)

    def end(self, last: Callable[[], object] = bool) -> None:
        """Ends the thread after the calls that it has, and this one."""
        self._calls.put(last)
        self._calls.put(None)

    def _work(self) -> None:
        for call in iter(self._calls.get, None):
            call()


async def _run(call: Callable[[Event], T]) -> T:
    """Runs a call in a thread. If the task is cancelled, the call ends at once."""
    stop = Event()
    worker = _Worker()
    try:
        return await worker.run(lambda: call(stop))
    finally:
        stop.set()
        worker.end()


async def _iterate(source: Iterable[T], stop: Event, note: Callable[[], object] = bool) -> AsyncIterator[T]:
    """Takes the next value only when it is asked for, and calls `note` when the user gets it, and at the end.

    A value that the thread took for a task that was cancelled is lost: a position must not cover it.
    """
    iterator = iter(source)
    worker = _Worker()
    try:
        while True:
            try:
                value = await worker.run(lambda: next(iterator, _END))
            except Exception:
                note()
                raise
            note()
            if value is _END:
                return
            yield value  # type: ignore[misc]
    finally:
        stop.set()
        worker.end(getattr(iterator, "close", bool))  # Closes the connection.


class _AsyncValues(Generic[T]):
    """Iterate over it once."""

    def __init__(self, source: Iterable[T], stop: Event) -> None:
        self._values = source
        self._stop = stop

    def __aiter__(self) -> AsyncIterator[T]:
        return _iterate(self._values, self._stop, self._note)

    def _note(self) -> None:
        """Notes how far the user is."""

    async def to_list(self) -> List[T]:
        return [value async for value in self]


class AsyncWalk(_AsyncValues[FeedItem]):
    """All items of the feed, newest first, page by page. Iterate over it once."""

    def __init__(self, walk: Walk, stop: Event) -> None:
        super().__init__(walk, stop)
        self._walk = walk
        self._has_begun = False

    def _note(self) -> None:
        self._has_begun = True

    @property
    def position(self) -> str:
        """The position of the first page: follow after it, and you miss no change of the time of the walk."""
        if not self._has_begun:
            raise RuntimeError("The first page is not read yet: iterate over the walk first.")
        return self._walk.position


class AsyncHistory(_AsyncValues[HistoryChange]):
    """The changes of a range, oldest first. Iterate over it once."""

    def __init__(self, history: History, stop: Event) -> None:
        super().__init__(history, stop)
        self._history = history
        self._position = history.position

    def _note(self) -> None:
        self._position = self._history.position

    @property
    def position(self) -> Optional[str]:
        """Covers the changes that you took, and after the last one all of the range: the `after` of a later history."""
        return self._position


class AsyncMarketWalk(_AsyncValues[Market]):
    """All markets of the directory, page by page. Iterate over it once."""


class AsyncOddswire:
    """`Oddswire` for asyncio, with the same options. To end a call, cancel its task."""

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
        """`on_retry` is called in another thread than that of the loop."""
        self._client = Oddswire(
            url,
            key,
            retries=retries,
            timeout_seconds=timeout_seconds,
            max_wait_seconds=max_wait_seconds,
            on_retry=on_retry,
            headers=headers,
        )

    async def __aenter__(self) -> AsyncOddswire:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    def close(self) -> None:
        """Ends all calls of this client."""
        self._client.close()

    async def page(self, **query: Unpack[PageQuery]) -> Page:
        """Reads one page."""
        return await _run(lambda stop: self._client.page(stop=stop, **query))

    def walk(self, **query: Unpack[PageQuery]) -> AsyncWalk:
        """Reads all pages: `async for item in client.walk(): …`. Its `position` is where to follow."""
        stop = Event()
        return AsyncWalk(self._client.walk(stop=stop, **query), stop)

    def follow(self, **query: Unpack[FollowQuery]) -> AsyncIterator[FeedMessage]:
        """Yields each change as it happens. It reconnects by itself and misses nothing."""
        stop = Event()
        return _iterate(self._client.follow(stop=stop, **query), stop)

    def history(self, **query: Unpack[HistoryQuery]) -> AsyncHistory:
        """Yields every change of the past, oldest first, with the version that it brought."""
        stop = Event()
        return AsyncHistory(self._client.history(stop=stop, **query), stop)

    async def markets(self, **query: Unpack[MarketsQuery]) -> MarketPage:
        """Reads one page of the directory of markets."""
        return await _run(lambda stop: self._client.markets(stop=stop, **query))

    def walk_markets(self, **query: Unpack[MarketsQuery]) -> AsyncMarketWalk:
        """Reads all pages of the directory, in the order of the ids."""
        stop = Event()
        return AsyncMarketWalk(self._client.walk_markets(stop=stop, **query), stop)

    async def usage(self) -> Usage:
        """The plan and the limits of the key. Costs no request."""
        return await _run(lambda stop: self._client.usage(stop=stop))

    async def key(self) -> OwnKey:
        """What the owner has set for the key. Costs no request."""
        return await _run(lambda stop: self._client.key(stop=stop))

    async def status(self) -> Status:
        """The state of the service. Sends no key."""
        return await _run(lambda stop: self._client.status(stop=stop))
