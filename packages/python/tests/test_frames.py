"""Tables for pandas. The rows are made without it."""

import sys
import types
import unittest
from datetime import datetime, timezone
from unittest import mock

from oddswire import rows, to_frame
from oddswire.frames import COLUMNS

ITEM = {
    "news_event": {
        "id": "ne_1",
        "headline": "Headline",
        "source_name": "Wire",
        "source_type": "rss",
        "source_tier": "t1",
        "author": None,
        "feed_categories": ["a"],
        "source_published_at": "2026-01-31T12:00:00Z",
        "endpoint_published_at": "2026-01-31T12:00:01.250000Z",
        "aggregate_event_relevance": {"bucket": "high"},
    },
    "related_markets": [
        {
            "main_market": {"market_id": "m", "market_title": "Main"},
            "market_relationship": {"bucket": "high"},
            "sub_markets": [
                {
                    "sub_market_id": name,
                    "sub_market_title": "Sub",
                    "market_url": "https://a.example",
                    "news_effect": {"affected_outcome": "YES", "effect": "supports", "relevance_bucket": "low"},
                    "market_snapshot": {"yes_ask": 0.4, "no_ask": 0.61, "volume_24h": 1, "total_volume": 2},
                    "momentum": {"passed": True, "pre_move_pp": 1.5},
                }
                for name in ("s1", "s2")
            ],
        }
    ],
}
CHANGE = {"position": "p", "kind": "replaced", "known_at": "2026-01-31T12:00:02+01:00", "scored_at": None, "id": "ne_1", "revision": 2}


class Rows(unittest.TestCase):
    def test_are_one_for_each_sub_market(self):
        first, second = rows([ITEM])
        self.assertEqual((first["sub_market_id"], second["sub_market_id"]), ("s1", "s2"))
        self.assertEqual(tuple(first), COLUMNS)
        self.assertEqual((first["news_id"], first["yes_ask"], first["known_at"]), ("ne_1", 0.4, None))
        moment = datetime(2026, 1, 31, 12, 0, 1, 250_000, tzinfo=timezone.utc)
        self.assertEqual(first["endpoint_published_at"], moment)

    def test_have_the_change_and_its_time(self):
        row = next(rows([{**CHANGE, "item": ITEM}]))
        self.assertEqual((row["kind"], row["revision"]), ("replaced", 2))
        self.assertEqual(row["known_at"], datetime(2026, 1, 31, 11, 0, 2, tzinfo=timezone.utc))

    def test_of_a_retraction_and_of_an_item_without_markets_are_one(self):
        retracted = {**CHANGE, "kind": "retracted", "item": None}
        without = {**ITEM, "related_markets": []}
        self.assertEqual([row["news_id"] for row in rows([retracted, without])], ["ne_1", "ne_1"])

    def test_of_messages_leave_out_those_that_only_move_the_position(self):
        messages = [
            {"type": "ready", "position": "p"},
            {"type": "item", "position": "p", "known_at": None, "scored_at": "2026-01-31T12:00:00Z", "item": ITEM},
            {"type": "retraction", "position": "p", "known_at": None, "id": "ne_2"},
        ]
        found = [(row["kind"], row["news_id"]) for row in rows(messages)]
        self.assertEqual(found, [("item", "ne_1"), ("item", "ne_1"), ("retraction", "ne_2")])

    def test_have_no_time_where_a_publisher_wrote_something_else(self):
        event = {**ITEM["news_event"], "source_published_at": "yesterday"}
        self.assertIsNone(next(rows([{**ITEM, "news_event": event}]))["source_published_at"])

    def test_become_a_frame_of_pandas(self):
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = lambda data, columns: (len(data), columns)
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            self.assertEqual(to_frame([ITEM]), (2, list(COLUMNS)))
