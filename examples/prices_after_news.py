"""How prices moved after news, by category, without looking ahead. Each `# %%` begins a cell of a notebook.
Needs the package oddswire, and ODDSWIRE_URL and ODDSWIRE_KEY in the environment."""
# %% Every item and market as first published, in the order in which it became known: corrections can repeat a price
import collections, os, statistics
from oddswire import Oddswire, rows

client = Oddswire(os.environ["ODDSWIRE_URL"], os.environ["ODDSWIRE_KEY"])
versions = [row for row in rows(client.history()) if row["kind"] == "published" and row["sub_market_id"]]
# %% News, the first price of another item that was scored after it was known, and the price after that one
# Limit: `scored_at` is the latest of all sub-markets of an item, so the price of one can be older than the news.
moves, waiting = [], collections.defaultdict(list)
for row in versions:
    still = [(row, None)] if row["effect"] != "neutral" else []
    for news, entry in waiting[row["sub_market_id"]]:
        is_later = row["scored_at"] > (entry or news)["known_at"] and row["news_id"] != news["news_id"]
        if is_later and entry:
            moves.append((news, row["yes_ask"] - entry["yes_ask"]))
        else:
            still.append((news, row if is_later else entry))
    waiting[row["sub_market_id"]] = still
# %% In percentage points, in the direction that the news supports
points = collections.defaultdict(list)
for news, change in moves:
    is_up = (news["effect"] == "supports") == (news["affected_outcome"] == "YES")
    for category in news["feed_categories"]:
        points[category].append(100 * change if is_up else -100 * change)
# %% News without two later prices is not counted: say so next to each result
print(f"{len(moves)} of {len(moves) + sum(map(len, waiting.values()))} news have two later prices")
for category, values in sorted(points.items()):
    print(f"{category:20} {len(values):5} {statistics.mean(values):+7.1f} pp")
