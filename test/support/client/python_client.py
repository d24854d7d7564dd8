"""Runs the calls of the Python client for the tests: reads commands as lines of JSON, and writes what comes as such lines."""

import json
import sys
import threading
import time
from dataclasses import asdict, is_dataclass

from oddswire import Aborted, Oddswire, OddswireError

METHODS = {"walkMarkets": "walk_markets"}
OPTIONS = {"retries": "retries", "timeoutSeconds": "timeout_seconds"}

output = threading.Lock()
stops = {}
real_time = time.time


def write(**line):
    with output:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def client_at(at):
    options = {OPTIONS[name]: value for name, value in at.items() if name in OPTIONS}
    return Oddswire(at["url"], at["key"], **options)


def failure_of(error):
    return {
        "code": error.code,
        "status": error.status,
        "retryAfterSeconds": error.retry_after_seconds,
        "message": str(error),
        "problem": error.problem,
    }


def call(id, at, method, query, take):
    values, position, failure = None, None, None
    try:
        result = getattr(client_at(at), METHODS.get(method, method))(**query)
        if hasattr(result, "__iter__") and not isinstance(result, dict):
            values = []
            for value in result:
                values.append(value)
                if len(values) == take:
                    break
        else:
            values = asdict(result) if is_dataclass(result) else result
    except OddswireError as error:
        failure = failure_of(error)
    try:
        position = getattr(result, "position", None)
    except (NameError, RuntimeError):  # There is no result, or its first page was not read.
        pass
    write(id=id, outcome={"value": values, "position": position, "failure": failure})


def follow(id, at, query, stopsAtItem=False, itemSeconds=0):
    stop = stops[id] = threading.Event()
    failure = None
    try:
        for message in client_at(at).follow(stop=stop, **query):
            write(id=id, message=message)
            if message["type"] == "item":
                if stopsAtItem:
                    stop.set()
                time.sleep(itemSeconds)
    except OddswireError as error:
        failure = failure_of(error)
    except Aborted:
        pass
    write(id=id, ended=failure)


def shift_clock(id, seconds):
    time.time = lambda: real_time() + seconds
    write(id=id, ended=None)


def run(function, command):
    try:
        function(**command)
    except BaseException as error:
        write(id=command["id"], broken=repr(error))


for line in sys.stdin:
    command = json.loads(line)
    name = command.pop("do")
    if name == "stop":
        stops[command["id"]].set()
    else:
        function = {"call": call, "follow": follow, "shift_clock": shift_clock}[name]
        threading.Thread(target=run, args=(function, command), daemon=True).start()
