"""The command `oddswire`, also `python -m oddswire`."""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
from dataclasses import asdict
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional

from .arguments import ArgumentParser
from .client import Oddswire
from .errors import OddswireError, invalid_options
from .export import export
from .query import FollowQuery, HistoryQuery, MarketsQuery, PageQuery
from .retry import is_transient
from .table import line_of
from .verify_webhook import verify_webhook

_EPILOG = """\
The key is read from ODDSWIRE_KEY only, because other users of a machine can see arguments. ODDSWIRE_URL is the address of
the service, if --url is absent. In a pipe, the output has one JSON object in each line; on a terminal, one short line for
each. Lists such as --category a,b are separated by commas; --market-id, --market and --ref can be repeated.

exit codes:
  0    done
  1    it failed, and the same command can work later: the connection, a limit, an outage, a full disk; or a market was
       not found, or a delivery is not of the service
  2    the same command would fail again: a wrong option, key or position
  130  stopped with Ctrl-C
"""

_REPEATED = ("market_id", "market", "ref")
_HELP = {
    "after": "the changes after this position",
    "since": "from this time, such as 2026-11-01T09:30:00Z",
    "until": "up to this time or position, included",
    "as_of": "the feed as it was at this time or position",
    "limit": "at most so many (default: 50)",
    "cursor": argparse.SUPPRESS,
    "q": "words",
}

Arguments = argparse.Namespace

_COUNT = 50
_LIMIT_MAX = 500
_URL = "http://localhost:8080"
_DASHED = re.compile(r"^--[a-z_-]+")

_EXPORT = {
    # The failures in a row after which it ends: about 3 minutes.
    "retries": 10,
    # With a filter that passes few changes, the service sends one line in 500 changes that it reads.
    "timeout_seconds": 120,
    # A quota of a day is waited for.
    "max_wait_seconds": 25 * 3_600,
}


def main(arguments: Optional[List[str]] = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] in (["--version"], ["-v"]):
        print(_version())
        return 0
    # `--source_tier`, as in the API, means `--source-tier`.
    options = _parser().parse_args([_DASHED.sub(lambda name: name[0].replace("_", "-"), one) for one in given])
    run: Callable[[Arguments], Optional[int]] = options.run
    try:
        code = run(options)
        sys.stdout.flush()
        return code or 0
    except OddswireError as error:
        print(f"oddswire: {error}{_advice(error)}", file=sys.stderr)
        return 1 if is_transient(error) or error.code == "invalid_webhook" else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough, for example `head`. Python would report the pipe again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"oddswire: {error}", file=sys.stderr)
        return 1


def _version() -> str:
    try:
        return importlib.metadata.version("oddswire")
    except importlib.metadata.PackageNotFoundError:
        return "not installed as a package"


def _advice(error: OddswireError) -> str:
    if error.code != "before_history":
        return ""
    begin = ((error.problem or {}).get("history_from") or {}).get("known_at")
    at = "later" if begin is None else f"at {begin}"
    return f" The history begins {at}: give no earlier time, or leave out --since and --after."


def _parser() -> argparse.ArgumentParser:
    parser = ArgumentParser(
        prog="oddswire",
        description="Reads an Oddswire feed: news events with their prediction markets.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")

    def add(name: str, run: Callable[[Arguments], Optional[int]], text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=run)
        command.add_argument("--url", help=f"address of the service (default: ODDSWIRE_URL, or {_URL})")
        if name != "export":
            command.add_argument("--json", action="store_true", help="a line of JSON for each result, also on a terminal")
        return command

    _add_query(add("news", _news, "the items of the feed, newest first"), PageQuery)
    follow = add("follow", _follow, "each change, as it happens")
    _add_query(follow, FollowQuery)
    follow.add_argument("--position-file", metavar="FILE", help="keeps the position; the next start continues there")
    _add_query(add("history", _history, "every change of the past, oldest first"), HistoryQuery)
    exported = add("export", _export, "every change of the past, into a file that the same command continues")
    _add_query(exported, HistoryQuery)
    exported.add_argument("--out", metavar="FILE", required=True, help="the file")
    markets = add("markets", _markets, "the markets of the feed: by id, URL, token or words")
    markets.add_argument("named", metavar="REF", nargs="*", help="as --ref; before the options")
    _add_query(markets, MarketsQuery)
    add("usage", lambda options: _print_object(options, _client(options).usage()), "the plan and the limits of the key")
    add("key", lambda options: _print_object(options, _client(options).key()), "what the owner has set for the key")
    _add_webhook(add("verify-webhook", _verify, "checks a delivery that a webhook has received"))
    return parser


def _add_query(command: argparse.ArgumentParser, query: Any) -> None:
    for name in query.__annotations__:
        option = "--" + name.replace("_", "-")
        if name == "limit":
            command.add_argument(option, type=int, default=argparse.SUPPRESS, help=_HELP[name])
        elif name in _REPEATED:
            command.add_argument(option, action="append", default=argparse.SUPPRESS, help="can be repeated")
        else:
            command.add_argument(option, default=argparse.SUPPRESS, help=_HELP.get(name, "a filter"))
    command.set_defaults(names=list(query.__annotations__))


def _add_webhook(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Checks the signature and the age of a delivery, and prints it. "
        "The secret is read from ODDSWIRE_WEBHOOK_SECRET; during a rotation, two secrets with a space between them."
    )
    command.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help="the three headers webhook-…")
    command.add_argument("--body", metavar="FILE", help="the body as it was received (default: the standard input)")
    command.add_argument("--tolerance", type=float, default=300, metavar="SECONDS", help="the greatest age (default: 300)")


def _client(options: Arguments, **more: Any) -> Oddswire:
    url = options.url or os.environ.get("ODDSWIRE_URL") or _URL
    key = os.environ.get("ODDSWIRE_KEY")
    if not key:
        raise invalid_options("The API key is missing: set ODDSWIRE_KEY.")
    return Oddswire(url, key, on_retry=_report, **more)


def _report(error: OddswireError, seconds: float) -> None:
    print(f"oddswire: {error} Again in {seconds:.1f} s.", file=sys.stderr)


def _query(options: Arguments) -> Dict[str, Any]:
    """The parameters that were given, in their order: options without a default are set when they are read."""
    return {name: value for name, value in vars(options).items() if name in options.names}


def _news(options: Arguments) -> None:
    query = _query(options)
    limit = _limit(query)
    _print_all(options, _client(options).walk(**query, limit=min(limit, _LIMIT_MAX)), limit)


def _limit(query: Dict[str, Any], default: int = _COUNT) -> int:
    """Takes the limit out of the parameters."""
    limit: int = query.pop("limit", default)
    if limit < 1:
        raise invalid_options("--limit must be a number from 1.")
    return limit


def _follow(options: Arguments) -> None:
    query = _query(options)
    file = options.position_file
    if file is not None and os.path.exists(file):
        with open(file, encoding="utf-8") as stored:
            query["after"] = stored.read().strip()
    position = query.get("after")
    try:
        for message in _client(options).follow(**query):
            _print_one(options, message)
            position = message["position"]
            if file is not None:
                _store(file, position)
    finally:
        if position is not None and file is None and _is_terminal(options):
            print(f"oddswire: to continue: --after {position}", file=sys.stderr)


def _store(file: str, position: str) -> None:
    """Complete or not at all."""
    with open(f"{file}.new", "w", encoding="utf-8") as stored:
        stored.write(position)
    os.replace(f"{file}.new", file)


def _history(options: Arguments) -> None:
    _print_all(options, _client(options).history(**_query(options)), None)


def _export(options: Arguments) -> int:
    query = _query(options)
    if "after" in query and "since" in query:
        raise invalid_options("--after and --since exclude each other.")
    try:
        changes, position = export(_client(options, **_EXPORT), options.out, query)
    except KeyboardInterrupt:
        print("oddswire: stopped. The same command continues.", file=sys.stderr)
        return 1
    what = "change" if changes == 1 else "changes"
    print(f"oddswire: {changes} {what} added to {options.out}, up to {position}", file=sys.stderr)
    return 0


def _markets(options: Arguments) -> int:
    query, client = _query(options), _client(options)
    references = [*options.named, *query.pop("ref", [])]
    # A reference can fit several markets.
    limit = _limit(query, _LIMIT_MAX if references else _COUNT)
    if not references:
        walk = client.walk_markets(**{"sort": "news", **query}, limit=min(limit, _LIMIT_MAX))
        _print_all(options, walk, limit)
        return 0
    page = client.markets(**query, ref=references, limit=min(limit, _LIMIT_MAX))
    _print_all(options, page["markets"], None)
    for reference in page["unknown"]:
        print(f"oddswire: no item has the market {json.dumps(reference)}", file=sys.stderr)
    return 1 if page["unknown"] else 0


def _verify(options: Arguments) -> None:
    secret = os.environ.get("ODDSWIRE_WEBHOOK_SECRET")
    if not secret:
        raise invalid_options("The secret is missing: set ODDSWIRE_WEBHOOK_SECRET.")
    if not options.tolerance > 0:
        raise invalid_options("--tolerance must be a number of seconds.")
    pairs = [header.partition(":") for header in options.header]
    with contextlib.ExitStack() as opened:
        body = sys.stdin.buffer if options.body is None else opened.enter_context(_body(options.body))
        delivery = verify_webhook(
            secret=secret.replace(",", " ").split(),
            headers={name.strip().lower(): value.strip() for name, _, value in pairs},
            body=iter(lambda: body.read(65_536), b""),
            tolerance_seconds=options.tolerance,
        )
    _print_object(options, asdict(delivery))


def _body(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError:
        raise invalid_options("The file of --body cannot be read.") from None


def _print_all(options: Arguments, values: Iterable[Any], limit: Optional[int]) -> None:
    for n, value in enumerate(values, 1):
        _print_one(options, value)
        if n == limit:
            return


def _is_terminal(options: Arguments) -> bool:
    return sys.stdout.isatty() and not options.json


def _print_one(options: Arguments, value: Any) -> None:
    """In a pipe one JSON object in a line, at once."""
    if not _is_terminal(options):
        print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)
        return
    line = line_of(value, shutil.get_terminal_size().columns)
    if line is not None:
        print(line, flush=True)


def _print_object(options: Arguments, value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2 if _is_terminal(options) else None))


if __name__ == "__main__":
    sys.exit(main())
