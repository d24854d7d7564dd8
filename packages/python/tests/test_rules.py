"""The rules of the client, as tables: they need no service."""

import copy
import pickle
import unittest
from datetime import datetime, timedelta, timezone

from oddswire import OddswireError
from oddswire.errors import parsed, refusal_of
from oddswire.event_stream import EventStreamParser, StreamEvent
from oddswire.honoured import ignored_parameter
from oddswire.lines import LineParser
from oddswire.next_step import Batch, Blocked, Closing, Ended, GiveUp, Refused, UseBatches, next_step
from oddswire.query import FollowQuery, PageQuery, checked, query_text
from oddswire.resume import Resume
from oddswire.retry import backoff, retry_after_seconds, retry_delay

# code, status, Retry-After, attempt, random, seconds
WAITS = [
    ("connection_failed", None, None, 0, 0, 0.5),
    ("connection_failed", None, None, 0, 1, 0.75),
    ("timed_out", None, None, 3, 0, 4),
    ("invalid_response", 200, None, 0, 0, 0.5),
    ("internal", 500, None, 20, 0, 30),
    ("internal", 500, None, 100_000, 0, 30),
    ("bad_request", 408, None, 0, 0, 0.5),
    ("rate_limited", 429, 10, 0, 0, 10),
    ("rate_limited", 429, 10, 0, 1, 15),
    ("rate_limited", 429, 120, 0, 1, 180),
    ("rate_limited", 429, 121, 0, 0, None),
    ("rate_limited", 429, 86_400, 0, 0, None),
    ("unavailable", 503, 0, 0, 0, 0.5),
    ("unavailable", 503, 2, 9, 0, 2),
    ("unavailable", 200, None, 0, 0, 0.5),
    ("invalid_options", None, None, 0, 0, None),
    ("invalid_parameter", 400, None, 0, 0, None),
    ("key_unknown", 401, None, 0, 0, None),
    ("key_suspended", 402, None, 0, 0, None),
    ("insufficient_scope", 403, None, 0, 0, None),
    ("position_expired", 410, 1, 0, 0, None),
    ("http_302", 302, None, 0, 0, None),
]

RETRY_AFTER = [
    (None, None, None),
    ("0", None, 0),
    ("86400", None, 86_400),
    ("1.5", None, 1.5),
    ("soon", None, None),
    ("-1", None, None),
    ("٣", None, None),
    ("Mon, 02 Feb 2026 10:00:30 GMT", "Mon, 02 Feb 2026 10:00:00 GMT", 30),
    ("Mon, 02 Feb 2026 09:00:00 GMT", "Mon, 02 Feb 2026 10:00:00 GMT", 0),
    ("Mon, 02 Feb 2026 10:00:30 GMT", None, None),
]


def error(code, status=None, seconds=None):
    return OddswireError(code, "Text.", status=status, retry_after_seconds=seconds)


class Errors(unittest.TestCase):
    def test_can_be_stored_and_copied(self):
        refusal = refusal_of(429, 1.5, '{"code":"rate_limited","detail":"Later."}')
        for restored in (pickle.loads(pickle.dumps(refusal)), copy.deepcopy(refusal)):
            self.assertIsInstance(restored, OddswireError)
            self.assertEqual([str(restored), vars(restored)], [str(refusal), vars(refusal)])


class Waits(unittest.TestCase):
    def test_before_a_retry(self):
        for code, status, seconds, attempt, random, wait in WAITS:
            with self.subTest(code=code, seconds=seconds, attempt=attempt, random=random):
                self.assertEqual(retry_delay(error(code, status, seconds), attempt, 120, random), wait)

    def test_grow_and_are_never_longer_than_45_s(self):
        for attempt in range(0, 2_000, 7):
            for random in (0, 0.3, 1):
                self.assertTrue(0.5 <= backoff(attempt, random) <= 45)
                self.assertGreaterEqual(backoff(attempt + 1, random), backoff(attempt, random))

    def test_of_a_retry_after_header(self):
        for header, date, seconds in RETRY_AFTER:
            with self.subTest(header=header, date=date):
                self.assertEqual(retry_after_seconds(header, date), seconds)


def closing(code, status, seconds):
    problem = {"code": code, "status": status, "detail": "Text."}
    return Closing({"type": "closing", "position": "p", "problem": problem, "retry_after_seconds": seconds})


STEPS = [
    (Ended(error("connection_failed")), True, 0, 0.5),
    (Ended(error("timed_out")), True, 2, 2),
    (Blocked(), True, 0, "batches"),
    (Batch(0), False, 0, 0),
    (Batch(5), False, 0, 5),
    (closing("unavailable", 503, 0.5), True, 0, 0.5),
    (closing("unavailable", 503, 0), True, 0, 0.5),
    (closing("position_expired", 410, 10), True, 0, 10),
    (closing("stream_replaced", 409, 30), True, 0, 30),
    (closing("rate_limited", 429, 40_000), True, 0, "rate_limited"),
    (closing("key_revoked", 401, None), True, 0, "key_revoked"),
    (closing("payment_required", 402, None), True, 0, "payment_required"),
    (Refused(error("http_406", 406)), True, 0, "batches"),
    (Refused(error("http_415", 415)), True, 0, "batches"),
    (Refused(error("http_501", 501)), True, 0, "batches"),
    (Refused(error("http_502", 502)), True, 4, 8),
    (Refused(error("http_502", 502)), True, 5, "batches"),
    (Refused(error("http_502", 502)), False, 0, 0.5),
    (Refused(error("http_406", 406)), False, 0, "http_406"),
    (Refused(error("too_many_streams", 429, 30)), True, 0, 30),
    (Refused(error("rate_limited", 429, 86_400)), True, 0, "rate_limited"),
    (Refused(error("unavailable", 503, 1)), True, 3, 1),
    (Refused(error("key_unknown", 401)), True, 0, "key_unknown"),
    (Refused(error("key_suspended", 402)), False, 0, "key_suspended"),
    (Refused(error("insufficient_scope", 403)), True, 0, "insufficient_scope"),
    (Refused(error("position_expired", 410)), True, 0, "position_expired"),
]


class NextStep(unittest.TestCase):
    def test_after_a_stream_or_a_batch(self):
        for end, is_stream, attempt, expected in STEPS:
            with self.subTest(end=end, is_stream=is_stream, attempt=attempt):
                step = next_step(end, is_stream, attempt=attempt, max_wait=120, random=0)
                if isinstance(step, UseBatches):
                    self.assertEqual(expected, "batches")
                elif isinstance(step, GiveUp):
                    self.assertEqual(expected, step.error.code)
                else:
                    self.assertEqual(expected, step.seconds)

    def test_spreads_the_return(self):
        step = next_step(closing("unavailable", 503, 4), True, attempt=0, max_wait=9, random=1)
        self.assertEqual(step.seconds, 6)


HONOURED = [
    ({}, {}, None),
    ({"limit": 1, "market_id": "a", "cursor": "c"}, {}, None),
    ({"q": "word"}, {}, "q"),
    ({"q": None}, {}, None),
    ({"q": "word"}, {"Feed-Filters": "q"}, None),
    ({"q": "word", "venue": ["a"]}, {"Feed-Filters": "q"}, "venue"),
    ({"q": "word", "venue": ["a"]}, {"Feed-Filters": "q, venue"}, None),
    ({"source": "a"}, {"Feed-Filters": "source_tier"}, "source"),
    ({"as_of": "p"}, {"Feed-Filters": "as_of"}, "as_of"),
    ({"as_of": "p"}, {"Feed-As-Of": "p"}, None),
]


class Honoured(unittest.TestCase):
    def test_parameter_that_an_earlier_version_ignored(self):
        for query, headers, ignored in HONOURED:
            with self.subTest(query=query, headers=headers):
                self.assertEqual(ignored_parameter(query, headers), ignored)


def event(data, kind="message"):
    return StreamEvent(kind, data)


EVENTS = [
    ("an event of the service", "id: a.1\nevent: item\ndata: {}\n\n", [event("{}", "item")]),
    ("two data lines as one text", "data: a\ndata: b\n\n", [event("a\nb")]),
    ("only one space after the colon", "data:  a\n\n", [event(" a")]),
    ("no space after the colon", "data:a\n\n", [event("a")]),
    ("a field without a colon", "data\n\n", [event("")]),
    ("a colon in the value", "data: a: b\n\n", [event("a: b")]),
    ("a comment", ": data: a\n\ndata: b\n\n", [event("b")]),
    ("unknown fields", "retry: 5\ndata: a\nother: b\n\n", [event("a")]),
    ("no event without data", "event: item\n\ndata: a\n\n", [event("a")]),
    ("the type of one event only", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]),
    ("a mark at the start of the bytes", "\N{BOM}data: a\n\n", [event("a")]),
    ("a line separator in the text", "data: a\u2028b\u0085c\n\n", [event("a\u2028b\u0085c")]),
    ("CR as line end, at once", "data: a\r\r", [event("a")]),
    ("mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", [event("a\nb\nc")]),
    ("no incomplete event", "data: a\n\ndata: b\n", [event("a")]),
    ("no incomplete line", "data: a\n\ndata: b", [event("a")]),
]


class EventStream(unittest.TestCase):
    def test_reads_each_form_however_the_bytes_are_split(self):
        for title, text, events in EVENTS:
            data = text.encode()
            pieces = [[data], [data[i : i + 1] for i in range(len(data))]]
            pieces += [[data[:cut], data[cut:]] for cut in range(len(data) + 1)]
            for split in pieces:
                with self.subTest(title, split=split):
                    parser = EventStreamParser()
                    self.assertEqual([one for piece in split for one in parser.push(piece)], events)

    def test_refuses_a_torn_character(self):
        torn = "data: “a".encode()[:8] + b"\n\n"
        with self.assertRaises(UnicodeDecodeError):
            EventStreamParser().push(torn)

    def test_refuses_a_line_without_an_end(self):
        parser = LineParser()
        with self.assertRaisesRegex(ValueError, "too long"):
            for _ in range(5):
                parser.push(b"x" * 4_000_000)


class Query(unittest.TestCase):
    def test_leaves_out_none_joins_lists_by_commas_and_repeats_market_id(self):
        east = timezone(timedelta(hours=2))
        values = {
            "limit": 5,
            "since": datetime(2026, 1, 31, 14, tzinfo=east),
            "category": ["a", "b"],
            "market_id": ("m&1", "m2"),
            "q": "é x",
            "cursor": None,
        }
        self.assertEqual(
            query_text(values),
            "limit=5&since=2026-01-31T12%3A00%3A00.000000Z&category=a%2Cb&market_id=m%261&market_id=m2&q=%C3%A9+x",
        )

    def test_names_what_is_wrong(self):
        wrong = [({"none": 1}, "none"), ({"since": datetime(2026, 1, 1)}, "since"), ({"q": object()}, "`q`")]
        for query, name in wrong:
            with self.subTest(query=query), self.assertRaisesRegex(OddswireError, f"invalid_options.*{name}"):
                checked(query, PageQuery)
        for query in ({"market_id": []}, {"market": ()}, {"category": set()}):
            (name,) = query
            with self.subTest(query=query), self.assertRaisesRegex(OddswireError, f"invalid_options.*`{name}` is an empty"):
                checked(query, FollowQuery)
        with self.assertRaisesRegex(OddswireError, "`as_of` is no parameter"):
            checked({"as_of": "p"}, FollowQuery)


class Start(unittest.TestCase):
    def test_is_what_the_user_asked_for_until_there_is_a_position(self):
        resume = Resume({"since": "2026-01-31", "q": "a"})
        self.assertEqual(resume.query_text(), "since=2026-01-31&q=a")
        resume.note({"type": "ready", "position": "p1"})
        self.assertEqual(resume.query_text(), "after=p1&q=a")
        resume.move_to("p2")
        self.assertEqual(resume.query_text(limit=500, wait=25), "after=p2&q=a&limit=500&wait=25")

    def test_is_after_if_the_user_gave_both(self):
        self.assertEqual(Resume({"since": "2026-01-31", "after": "p0"}).query_text(), "after=p0")

    def test_counts_failures_until_a_message_that_is_not_the_greeting(self):
        resume = Resume({})
        resume.note_failure()
        resume.note({"type": "ready", "position": "p1"})
        self.assertEqual(resume.failures, 1)
        resume.note({"type": "heartbeat", "position": "p2"})
        self.assertEqual(resume.failures, 0)


class Refusals(unittest.TestCase):
    def test_have_the_code_of_the_problem_document_or_of_the_status(self):
        for text, code in [
            ("", "http_500"),
            ("<html>", "http_500"),
            ('{"code":1}', "http_500"),
            ('{"code":"internal"}', "internal"),
        ]:
            self.assertEqual(refusal_of(500, None, text).code, code)

    def test_text_that_is_not_json_is_none(self):
        self.assertEqual([parsed(text) for text in ("", "{", "[" * 200_000)], [None, None, None])
