"""Prints each change of the feed as a line of JSON. Started again, it continues after the last one that it printed.
Needs Python 3.9 or newer, and ODDSWIRE_URL and ODDSWIRE_KEY in the environment."""
import json, os, random, sys, time, urllib.error, urllib.request

def request(path):
    query = urllib.request.Request(f"{os.environ['ODDSWIRE_URL']}/pm/v2/{path}")
    query.add_header("X-API-Key", os.environ["ODDSWIRE_KEY"])
    query.add_header("Accept", "application/json")
    return urllib.request.urlopen(query, timeout=60)

def store(position):  # complete or not at all
    with open("position.new", "w") as file: file.write(position)
    os.replace("position.new", "position")

while True:
    try:
        if not os.path.exists("position"): store(request("news?limit=1").headers["Feed-Position"])
        with open("position") as file: position = file.read()
        batch = json.load(request(f"stream?after={position}&limit=500&wait=25"))
        for message in batch["messages"]: print(json.dumps(message), flush=True)
        store(batch["position"])
        continue
    except urllib.error.HTTPError as refusal:
        if refusal.code < 500 and "Retry-After" not in refusal.headers: sys.exit(refusal.read().decode())
        seconds = float(refusal.headers.get("Retry-After", 1))
    except OSError:  # the connection was refused or cut
        seconds = 1
    time.sleep(seconds * random.uniform(1, 1.5))
