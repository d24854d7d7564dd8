"""Client of the Oddswire feed: news events with their prediction markets, in pages or live.

    from oddswire import Oddswire
    for item in Oddswire("https://api.example.com", key).walk():
        print(item["news_event"]["headline"])

The service has the documentation, at `/docs/python`.
"""

from .async_client import AsyncHistory, AsyncMarketWalk, AsyncOddswire, AsyncWalk
from .client import Oddswire
from .errors import Aborted, OddswireError
from .frames import rows, to_frame
from .history import History
from .market_walk import MarketWalk
from .messages import FeedMessage
from .query import FollowQuery, HistoryQuery, MarketsQuery, PageQuery
from .verify_webhook import WebhookDelivery, verify_webhook
from .walk import Page, Walk

__all__ = [
    "Aborted",
    "AsyncHistory",
    "AsyncMarketWalk",
    "AsyncOddswire",
    "AsyncWalk",
    "FeedMessage",
    "FollowQuery",
    "History",
    "HistoryQuery",
    "MarketWalk",
    "MarketsQuery",
    "Oddswire",
    "OddswireError",
    "Page",
    "PageQuery",
    "Walk",
    "WebhookDelivery",
    "rows",
    "to_frame",
    "verify_webhook",
]
