"""Calls to a small server: what is sent, what ends a call, and where the key never is."""

import asyncio
import copy
import errno
import gzip
import json
import pickle
import subprocess
import sys
import threading
import time
import traceback
import unittest
from unittest import mock

from oddswire import Aborted, AsyncOddswire, Oddswire, OddswireError

from small_server import KEY, PAGE, answer, page, server

def caught(call):
    try:
        call()
    except OddswireError as error:
        return error
    raise AssertionError("it did not fail")


def variables_of(error):
    """The variables of all frames of the error, and of the errors before it."""
    while error is not None:
        yield from (repr(frame.f_locals) for frame, _ in traceback.walk_tb(error.__traceback__))
        error = error.__cause__ or error.__context__


class Requests(unittest.TestCase):
    def test_send_the_key_once_ask_for_gzip_and_read_it(self):
        body = json.dumps({**PAGE, "items": [{"id": "é"}]}).encode()
        packed = gzip.compress(body[:20]) + gzip.compress(body[20:])
        sent = answer(packed, Content_Type="application/json", Feed_Position="p", Content_Encoding="gzip")
        with server(sent) as (url, requests):
            self.assertEqual(Oddswire(f"{url}/base/", KEY).page(limit=3).items, [{"id": "é"}])
        head = requests[0]
        self.assertTrue(head.startswith("GET /base/pm/v2/news?limit=3 HTTP/1.1\r\n"))
        self.assertEqual([head.count(KEY), head.count(f"Authorization: Bearer {KEY}\r\n")], [1, 1])
        self.assertIn("Accept-Encoding: gzip\r\n", head)

    def test_of_the_status_have_no_key(self):
        with server(page({"feed": {}})) as (url, requests):
            Oddswire(url, KEY).status()
        self.assertNotIn(KEY, requests[0])

    def test_have_the_headers_that_the_user_gave(self):
        with server(page()) as (url, requests):
            Oddswire(url, KEY, headers={"Oddswire-Test": "slow"}).page()
        self.assertIn("Oddswire-Test: slow\r\n", requests[0])
        for wrong in ({"Authorization": "x"}, {"X-API-Key": "x"}, {"accept": "x"}, {"a b": "x"}, {"A": "secret\n"}, {"A": 1}):
            with self.subTest(wrong=wrong), self.assertRaises(OddswireError) as raised:
                Oddswire(url, KEY, headers=wrong)
            self.assertEqual(raised.exception.code, "invalid_options")
            self.assertNotIn("secret", str(raised.exception))

    def test_follow_no_redirect(self):
        with server(page()) as (other, others):
            with server(answer(status="302 Found", Location=f"{other}/pm/v2/news")) as (url, _):
                self.assertEqual(caught(Oddswire(url, KEY).page).code, "http_302")
            self.assertEqual(others, [])

    def test_report_each_retry(self):
        retries = []
        with server(answer(status="503 Busy", Retry_After="0"), b"", page()) as (url, _):
            Oddswire(url, KEY, on_retry=lambda error, seconds: retries.append((error.code, seconds))).page()
        self.assertEqual([code for code, _ in retries], ["http_503", "connection_failed"])
        self.assertTrue(all(0.5 <= seconds <= 1.5 for _, seconds in retries))

    def test_report_why_a_stream_or_a_history_ended(self):
        ready = b'data: {"type":"ready","position":"p","heartbeat_seconds":0.1}\n\n'
        whole = answer(ready, Content_Type="text/event-stream")
        damaged = answer(ready + b"data: {\n\n", Content_Type="text/event-stream")
        torn = answer(ready + b"\xff\n", Content_Type="text/event-stream")
        open_end = whole.replace(b"Content-Length: %d\r\n" % len(ready), b"")
        cases = [
            (whole, "connection_failed", type(None)),
            (whole[:-1], "connection_failed", type(None)),
            (torn, "connection_failed", type(None)),
            (bytearray(open_end), "timed_out", OSError),
            (damaged, "invalid_response", type(None)),
        ]
        for sent, code, cause in cases:
            stop, reported = threading.Event(), []
            with self.subTest(sent=sent), server(sent) as (url, _):
                client = Oddswire(url, KEY, on_retry=lambda error, _: (reported.append(error), stop.set()))
                with self.assertRaises(Aborted):
                    list(client.follow(stop=stop))
                self.assertEqual(reported[0].code, code)
                self.assertIsInstance(reported[0].__cause__, cause)
                self.assertIn("A message of the stream" if code == "invalid_response" else url, str(reported[0]))
        lines = answer(b'{"position":"p","type":"progress"}\n', Content_Type="application/x-ndjson")
        for sent in (lines, lines[:-1]):
            with self.subTest(sent=sent), server(sent) as (url, _):
                error = caught(Oddswire(url, KEY, retries=0).history().to_list)
                self.assertEqual(error.code, "connection_failed")
                self.assertIn(url, str(error))

    def test_report_the_error_of_the_system_as_the_cause(self):
        sent = answer(b"", Content_Type="text/event-stream").replace(b"Content-Length: 0\r\n", b"")
        with mock.patch("oddswire.connection.Response.read", side_effect=ConnectionResetError(errno.ECONNRESET, "reset")):
            for method in ("follow", "history"):
                stop, reported = threading.Event(), []
                form = {"history": b"application/x-ndjson", "follow": b"text/event-stream"}[method]
                with server(sent.replace(b"text/event-stream", form)) as (url, _):
                    client = Oddswire(url, KEY, on_retry=lambda error, _: (reported.append(error), stop.set()))
                    with self.assertRaises(Aborted):
                        list(getattr(client, method)(stop=stop))
                self.assertIn(f"{url} (ECONNRESET).", str(reported[0]))
                self.assertIsInstance(reported[0].__cause__, ConnectionResetError)

    def test_a_response_that_is_cut_or_packed_in_another_way_is_none(self):
        whole = page()
        packed = page(Content_Encoding="br")
        gzipped = gzip.compress(json.dumps(PAGE).encode())
        torn = answer(gzipped[:-9], Content_Type="application/json", Content_Encoding="gzip")
        for sent, code in ((whole[:-1], "connection_failed"), (torn, "connection_failed"), (packed, "invalid_response")):
            with server(sent) as (url, _):
                self.assertEqual(caught(Oddswire(url, KEY, retries=0).page).code, code)

    def test_skip_the_responses_before_the_final_one(self):
        early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2
        with server(b"HTTP/1.1 100 Continue\r\n\r\n" + early + page()) as (url, _):
            self.assertEqual(Oddswire(url, KEY, retries=0).page().items, [])

    def test_may_wait_for_no_retry_after(self):
        with server(answer(status="503 Busy", Retry_After="1")) as (url, requests):
            self.assertEqual(caught(Oddswire(url, KEY, max_wait_seconds=0).page).code, "http_503")
        self.assertEqual(len(requests), 1)


class Aborts(unittest.TestCase):
    def assert_prompt(self, call, abort):
        threading.Timer(0.2, abort).start()
        before = time.monotonic()
        with self.assertRaises(Aborted):
            call()
        self.assertLess(time.monotonic() - before, 15)  # The time limit of a response is 30 s.

    def test_by_an_event_during_a_response_and_during_a_wait(self):
        with server(None) as (url, _):
            stop = threading.Event()
            self.assert_prompt(lambda: Oddswire(url, KEY).page(stop=stop), stop.set)
        with server(answer(status="503 Busy", Retry_After="60")) as (url, _):
            stop = threading.Event()
            self.assert_prompt(lambda: Oddswire(url, KEY).page(stop=stop), stop.set)

    def test_by_closing_the_client(self):
        with server(None) as (url, _), Oddswire(url, KEY) as client:
            self.assert_prompt(lambda: list(client.follow()), client.close)
        with self.assertRaises(Aborted):
            client.page()

    def test_by_a_time_limit(self):
        with server(None) as (url, _):
            error = caught(Oddswire(url, KEY, timeout_seconds=0.2, retries=0).page)
        self.assertEqual(error.code, "timed_out")
        self.assertIn(url, str(error))

    def test_by_a_time_limit_also_if_the_head_or_the_body_trickles(self):
        head = answer(b"", Content_Type="application/json", Feed_Position="p", X_Rest="x" * 2_000)
        for sent in (list(head), [page({**PAGE, "items": ["x" * 2_000]})[:120], *(b"x" * 2_000)]):
            with self.subTest(), server(sent) as (url, _):
                error = caught(Oddswire(url, KEY, timeout_seconds=0.2, retries=0).page)
                self.assertEqual(error.code, "timed_out")

    def test_of_a_task_end_its_thread(self):
        async def main(url):
            client = AsyncOddswire(url, KEY)
            for call in (client.page(), client.history().to_list(), client.follow().__anext__()):
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(call, 0.2)

        with server(None, None, None) as (url, _):
            asyncio.run(main(url))
        end = time.monotonic() + 15
        while any(one.name == "oddswire" for one in threading.enumerate()) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual([one for one in threading.enumerate() if one.name == "oddswire"], [])


class Async(unittest.TestCase):
    def test_has_the_same_calls(self):
        async def main(url):
            async with AsyncOddswire(url, KEY) as client:
                walk = client.walk()
                self.assertEqual([item async for item in walk], [{"id": 1}])
                self.assertEqual(walk.position, "p")
                self.assertEqual((await client.page()).items, [])

        with server(page({**PAGE, "items": [{"id": 1}]}), page()) as (url, _):
            asyncio.run(main(url))

    def test_does_not_hold_up_the_end_of_the_interpreter(self):
        program = """if True:
            import asyncio, sys
            from oddswire import AsyncOddswire
            loop = asyncio.new_event_loop()
            following = AsyncOddswire(*sys.argv[1:]).follow().__anext__()
            loop.run_until_complete(asyncio.wait([loop.create_task(following)], timeout=0.3))
            loop.stop()"""
        with server(*[None] * 9) as (url, requests):
            ended = subprocess.run([sys.executable, "-c", program, url, KEY], timeout=30, stderr=subprocess.DEVNULL)
        self.assertEqual((ended.returncode, len(requests)), (0, 1))

    def test_has_no_position_of_a_change_that_the_user_did_not_get(self):
        changes = [{"position": f"p{n}", "kind": "published", "id": "a", "item": None} for n in (1, 2)]
        body = "".join(json.dumps(one) + "\n" for one in (*changes, {"type": "complete", "position": "p3"})).encode()
        taken, cancelled = threading.Event(), threading.Event()

        def slow(values):
            for n, value in enumerate(values):
                if n == 1:  # The thread has taken the second change.
                    taken.set()
                    cancelled.wait(15)
                yield value

        async def main(url):
            history = AsyncOddswire(url, KEY).history(after="p0")
            history._values = slow(history._values)
            positions = [history.position]
            iterator = history.__aiter__()
            await iterator.__anext__()
            positions.append(history.position)
            task = asyncio.ensure_future(iterator.__anext__())
            await asyncio.get_running_loop().run_in_executor(None, taken.wait, 15)
            task.cancel()
            cancelled.set()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return [*positions, history.position]

        async def whole(url):
            history = AsyncOddswire(url, KEY).history()
            return [len(await history.to_list()), history.position]

        with server(*[answer(body, Content_Type="application/x-ndjson")] * 2) as (url, _):
            self.assertEqual(asyncio.run(main(url)), ["p0", "p1", "p1"])
            self.assertEqual(asyncio.run(whole(url)), [2, "p3"])

    def test_walk_has_no_position_before_its_first_item(self):
        async def main(url):
            walk = AsyncOddswire(url, KEY).walk()
            next(iter(walk._walk))  # As by the thread of a task that was cancelled.
            with self.assertRaisesRegex(RuntimeError, "iterate over the walk"):
                walk.position

        with server(page({"items": [{"id": 1}], "next_cursor": None})) as (url, _):
            asyncio.run(main(url))

    def test_has_every_method_of_the_client(self):
        def methods(of):
            return {name for name in vars(of) if not name.startswith("_")}

        self.assertEqual(methods(AsyncOddswire), methods(Oddswire))


class Key(unittest.TestCase):
    def test_is_in_no_text_of_the_client_and_of_its_errors(self):
        with server(answer(json.dumps({"code": "a", "detail": KEY}).encode(), status="400 Bad"), b"") as (url, _):
            client = Oddswire(url, KEY, retries=0)
            errors = [caught(client.page), caught(client.page)]
        errors.append(caught(client.page))
        self.assertEqual([error.code for error in errors], ["a", "connection_failed", "connection_failed"])
        self.assertIn(url, str(errors[2]))
        self.assertIsInstance(errors[2].__cause__, ConnectionRefusedError)
        texts = [repr(client), repr(vars(client)), repr(vars(client._transport)), repr(AsyncOddswire(url, KEY))]
        for error in errors:
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            texts += [repr(error), str(error.problem), "".join(shown.format())]
        self.assertNotIn(KEY, "".join(texts))

    def test_is_in_no_variable_of_an_error_if_the_request_is_not_sent(self):
        with mock.patch("oddswire.connection._Wire.sendall", side_effect=BrokenPipeError), server(b"") as (url, _):
            error = caught(Oddswire(url, KEY, retries=0).page)
        self.assertIsInstance(error.__cause__, BrokenPipeError)
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        self.assertNotIn(KEY, "".join(shown.format()))

    def test_is_in_no_variable_of_an_interrupt_or_an_abort_while_a_request_is_sent(self):
        stop = threading.Event()

        def broken(_):
            stop.set()
            raise BrokenPipeError

        for failure, expected in ((KeyboardInterrupt, KeyboardInterrupt), (broken, Aborted)):
            with mock.patch("oddswire.connection._Wire.sendall", side_effect=failure), server(b"") as (url, _):
                try:  # `assertRaises` would clear the variables.
                    Oddswire(url, KEY, retries=0).page(stop=stop)
                    self.fail("it did not fail")
                except expected as error:
                    variables = list(variables_of(error))
            self.assertIn("Oddswire(", "".join(variables))
            self.assertNotIn(KEY, "".join(variables))

    def test_cannot_be_stored(self):
        client = Oddswire("http://127.0.0.1", KEY)
        for store in (pickle.dumps, copy.deepcopy):
            with self.assertRaises(TypeError):
                store(client)

    def test_is_in_no_error_of_wrong_options(self):
        url = "http://127.0.0.1"
        for options, name in [
            ({"url": url, "key": f"{KEY}\n"}, "key"),
            ({"url": url, "key": None}, "key"),
            ({"url": None, "key": KEY}, "url"),
            ({"url": f"http://x:{KEY}@127.0.0.1", "key": "a"}, "url"),
            ({"url": f"{url}/?api_key={KEY}", "key": "a"}, "url"),
            ({"url": f"not a URL {KEY}", "key": "a"}, "url"),
            ({"url": f"http://127.0.0.1/é{KEY}", "key": "a"}, "url"),
            ({"url": f"http://[{KEY}", "key": "a"}, "url"),
            ({"url": f"http://a:{KEY}", "key": "a"}, "url"),
            ({"url": url, "key": KEY, "retries": -1}, "retries"),
            ({"url": url, "key": KEY, "timeout_seconds": 0}, "timeout_seconds"),
            ({"url": url, "key": KEY, "max_wait_seconds": -1}, "max_wait_seconds"),
            ({"url": url, "key": KEY, "max_wait_seconds": "1"}, "max_wait_seconds"),
        ]:
            with self.subTest(name=name):
                error = caught(lambda: Oddswire(**options))
                self.assertEqual(error.code, "invalid_options")
                self.assertIn(f"`{name}`", str(error))
                text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
                self.assertNotIn(KEY, text)
