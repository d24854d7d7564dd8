"""The command `oddswire`: its output, its exit codes, and the file of an export."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock

from oddswire.__main__ import main
from oddswire.connection import Limit
from oddswire.table import line_of

from small_server import KEY, answer, page, server
from test_frames import ITEM
from test_webhooks import BODY, SECRET, headers

CHANGES = [
    {"position": f"p{n}", "kind": "published", "known_at": "t", "scored_at": "t", "id": f"ne_{n}", "revision": 1, "item": None}
    for n in (1, 2, 3)
]


def lines(*values):
    body = "".join(json.dumps(value) + "\n" for value in values).encode()
    return answer(body, Content_Type="application/x-ndjson", Feed_Filters="q, category")


def complete(position):
    return {"type": "complete", "position": position}


def run(*arguments, url="", stdin=b"", **environment):
    """The exit code, and what was printed."""
    output, errors = io.StringIO(), io.StringIO()
    wanted = {"ODDSWIRE_URL": url, "ODDSWIRE_KEY": KEY, **environment}
    source = mock.Mock(buffer=io.BytesIO(stdin))
    with mock.patch.dict(os.environ, wanted), mock.patch("sys.stdin", source):
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = main(list(arguments))
            except SystemExit as end:
                code = end.code
    return code, output.getvalue(), errors.getvalue()


class Command(unittest.TestCase):
    def test_prints_the_items_as_lines_of_json(self):
        with server(page({"items": [ITEM, ITEM], "next_cursor": "c"}, Feed_Filters="category, market")) as (url, requests):
            code, output, _ = run("news", "--limit", "1", "--category", "a,b", "--market", "m", url=url)
        self.assertEqual((code, [json.loads(line) for line in output.splitlines()]), (0, [ITEM]))
        self.assertIn("?limit=1&category=a%2Cb&market=m HTTP", requests[0])

    def test_says_that_it_can_work_later_or_never(self):
        later = answer(b'{"code":"rate_limited","detail":"Tomorrow."}', status="429 No", Retry_After="86400")
        never = answer(b'{"code":"key_unknown","detail":"None."}', status="401 No")
        for sent, expected in ((later, 1), (never, 2)):
            with server(sent) as (url, _):
                code, output, errors = run("usage", url=url)
            self.assertEqual((code, output), (expected, ""))
            self.assertRegex(errors, "^oddswire: (rate_limited: Tomorrow|key_unknown: None)")

    def test_names_what_is_missing(self):
        code, _, errors = run("usage", url="http://127.0.0.1:1", ODDSWIRE_KEY="")
        self.assertEqual(code, 2)
        self.assertIn("ODDSWIRE_KEY", errors)
        for arguments in ((), ("none",), ("news", "--limit", "x"), ("news", "--limit", "0"), ("news", "--key", "x")):
            self.assertEqual(run(*arguments, url="http://127.0.0.1:1")[0], 2)

    def test_prints_50_items_without_a_limit(self):
        with server(page({"items": [ITEM] * 60, "next_cursor": "c"})) as (url, requests):
            code, output, _ = run("news", url=url)
        self.assertEqual((code, len(output.splitlines())), (0, 50))
        self.assertIn("?limit=50 HTTP", requests[0])

    def test_says_that_a_market_was_not_found(self):
        for unknown, expected in ((["m"], 1), ([], 0)):
            with server(page({"markets": [], "unknown": unknown, "next_cursor": None})) as (url, _):
                self.assertEqual(run("markets", "--ref", "m", url=url)[0], expected)

    def test_takes_references_of_markets_with_and_without_a_name(self):
        with server(page({"markets": [], "unknown": [], "next_cursor": None})) as (url, requests):
            run("markets", "a", "b", "--ref", "c", url=url)
        self.assertRegex(requests[0], r"\?ref=a&ref=b&ref=c&limit=500 HTTP")

    def test_repeats_no_argument(self):
        for arguments in (("news", "--key", KEY), (KEY,), ("news", KEY), ("news", "--limit", KEY), ("usage", f"--key={KEY}")):
            code, output, errors = run(*arguments, url="http://127.0.0.1:1")
            self.assertEqual((code, output), (2, ""))
            self.assertNotIn(KEY, errors)
        self.assertIn("ODDSWIRE_KEY only", run("news", "--key", KEY)[2])
        self.assertNotIn("secret", run("news", "svc_1--secret")[2])
        self.assertIn("no such option: --limits ", run("news", "--limits", "1")[2])

    def test_takes_the_names_of_the_api(self):
        with server(page(Feed_Filters="source_tier")) as (url, requests):
            self.assertEqual(run("news", "--source_tier", "t1", url=url)[0], 0)
        self.assertIn("source_tier=t1", requests[0])

    def test_says_where_the_history_begins(self):
        problem = {"code": "before_history", "detail": "Later.", "history_from": {"position": "p", "known_at": "2026-11-01T00:00:00Z"}}
        with server(answer(json.dumps(problem).encode(), status="410 Gone")) as (url, _):
            code, _, errors = run("history", "--since", "2020-01-01T00:00:00Z", url=url)
        self.assertEqual(code, 2)
        self.assertIn("Later. The history begins at 2026-11-01T00:00:00Z: give no earlier time", errors)

    def test_keeps_the_position_of_a_stream_in_a_file(self):
        ready = {"type": "ready", "position": "p1", "heartbeat_seconds": 5}
        gone = {"type": "retraction", "position": "p2", "known_at": "t", "id": "ne_1"}
        closing = {"type": "closing", "position": "p2", "problem": {"code": "key_revoked", "detail": "Gone.", "status": 401}, "retry_after_seconds": None}
        text = "".join(f"data: {json.dumps(one)}\n\n" for one in (ready, gone, closing)).encode()
        stream = answer(text, Content_Type="text/event-stream")
        with tempfile.TemporaryDirectory() as folder, server(stream, stream) as (url, requests):
            file = os.path.join(folder, "position")
            for _ in range(2):
                code, output, errors = run("follow", "--position-file", file, url=url)
                self.assertEqual((code, [json.loads(line) for line in output.splitlines()]), (2, [ready, gone]))
                self.assertIn("key_revoked: Gone.", errors)
        self.assertIn("?after=p2 ", requests[1])

    def test_verifies_a_webhook(self):
        sent = headers()
        arguments = [f"--header=Webhook-{name}: {sent['webhook-' + name]}" for name in ("id", "timestamp", "signature")]
        secret = {"ODDSWIRE_WEBHOOK_SECRET": SECRET}
        long = ["--tolerance", "1e12"]
        code, output, _ = run("verify-webhook", *arguments, *long, stdin=BODY, **secret)
        self.assertEqual((code, json.loads(output)["position"]), (0, "p"))
        self.assertEqual(run("verify-webhook", *arguments, *long, stdin=BODY + b" ", **secret)[0], 1)
        self.assertEqual(run("verify-webhook", *arguments, stdin=BODY, ODDSWIRE_WEBHOOK_SECRET="")[0], 2)
        for wrong in (("--tolerance", "0"), ("--body", "/no/such/file")):
            self.assertEqual(run("verify-webhook", *arguments, *wrong, **secret)[0], 2)


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "changes.ndjson")

    def stored(self):
        with open(self.file, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_continues_after_the_last_complete_line(self):
        with server(lines(*CHANGES[:2], complete("p2")), lines(CHANGES[2], complete("p3"))) as (url, requests):
            self.assertEqual(run("export", "--out", self.file, "--q", "a", url=url)[0], 0)
            with open(self.file, "a", encoding="utf-8") as file:
                file.write('{"position":"p9","ki')
            code, _, errors = run("export", "--out", self.file, "--q", "a", url=url)
        self.assertEqual((code, self.stored()), (0, CHANGES))
        self.assertIn("1 change added", errors)
        self.assertIn("?after=p2&q=a ", requests[1])

    def test_leaves_other_files_and_files_with_other_filters_as_they_are(self):
        with server(lines(*CHANGES, complete("p3"))) as (url, requests):
            self.assertEqual(run("export", "--out", self.file, url=url)[0], 0)
            self.assertEqual(run("export", "--out", self.file, "--q", "a", url=url)[0], 2)
            self.assertEqual(self.stored(), CHANGES)
            for text in ("no export", "no export\n", '{"position":"p"}\n'):
                with open(self.file, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(run("export", "--out", self.file, url=url)[0], 2)
                with open(self.file, encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)
        self.assertEqual(len(requests), 1)

    def test_two_at_once_write_each_change_once(self):
        other = []

        def second(*_):  # Runs while the first one waits after its first change.
            if not other:
                other.append(None)
                with server(lines(*CHANGES, complete("p3"))) as (url, _):
                    other.append(run("export", "--out", self.file, url=url)[0])

        with server(lines(CHANGES[0]), lines(*CHANGES[1:], complete("p3"))) as (url, _):
            with mock.patch("oddswire.waiting.Stop.pause", second):
                self.assertEqual(run("export", "--out", self.file, url=url)[0], 0)
        self.assertEqual((other, self.stored()), ([None, 0], CHANGES))

    def test_records_the_filters_as_the_command_of_the_typescript_client(self):
        arguments = ("--q", "é a", "--market-id", "m1", "--since", "2026-01-01", "--until", "p3", "--market-id", "m2", "--category", "b")
        with server(lines(*CHANGES, complete("p3"))) as (url, _):
            self.assertEqual(run("export", "--out", self.file, *arguments, url=url)[0], 0)
        with open(f"{self.file}.filters.json", "rb") as file:
            record = '{"since":"2026-01-01","q":"é a","market_id":["m1","m2"],"category":"b"}\n'
            self.assertEqual(file.read().decode(), record)

    def test_waits_for_a_day_and_for_two_minutes_of_silence(self):
        waits, paused = [], {"type": "paused", "position": "p1", "retry_after_seconds": 86_400}
        restart = mock.patch("oddswire.connection.Limit.restart", autospec=True, side_effect=Limit.restart)
        pause = mock.patch("oddswire.waiting.Stop.pause", lambda _, seconds: waits.append(seconds))
        with server(lines(CHANGES[0], paused), lines(*CHANGES[1:], complete("p3"))) as (url, _), restart as limits, pause:
            self.assertEqual(run("export", "--out", self.file, url=url)[0], 0)
        self.assertEqual([len(waits), waits[0] >= 86_400, self.stored()], [1, True, CHANGES])
        self.assertEqual(max(call.args[1] for call in limits.call_args_list), 120)

    def test_refuses_what_is_no_regular_file_and_wrong_options(self):
        pipe = f"{self.file}.pipe"
        os.mkfifo(pipe)
        for path in (pipe, os.path.dirname(self.file), os.path.join(self.file, "none")):
            code, _, errors = run("export", "--out", path, url="http://127.0.0.1:1")
            self.assertEqual(code, 2)
            self.assertIn("cannot use", errors)
        self.assertEqual(os.listdir(os.path.dirname(self.file)), [os.path.basename(pipe)])
        self.assertEqual(run("export", "--out", self.file, "--after", "p", "--since", "t")[0], 2)

    def test_keeps_what_it_has_if_it_ends_early(self):
        paused = {"type": "paused", "position": "p1", "retry_after_seconds": 90_001, "problem": {"code": "rate_limited", "status": 429, "detail": "Tomorrow."}}
        with server(lines(CHANGES[0], paused)) as (url, _):
            self.assertEqual(run("export", "--out", self.file, url=url)[0], 1)
        self.assertEqual(self.stored(), CHANGES[:1])


class Table(unittest.TestCase):
    def test_has_a_line_for_each_value_without_control_characters(self):
        event = {**ITEM["news_event"], "headline": "a\x1b[2J\nb"}
        line = line_of({**ITEM, "news_event": event}, 200)
        self.assertEqual(line, "2026-01-31 12:00:01  item        high    0.40 0.40       a [2J b")
        self.assertEqual(len(line_of(ITEM, 30)), 30)
        self.assertIsNone(line_of({"type": "live", "position": "p"}, 80))
        self.assertEqual(line_of({**CHANGES[0], "kind": "retracted"}, 80), "t                    retracted   ne_1")
        self.assertIn("m1", line_of({"kind": "sub", "market_id": "m1", "market_title": "T", "last_snapshot": None}, 80))
