// Checks that tests can fail: npm run mutants. Each row of the table breaks one promise in the compiled code, by a replaced text.
// The named specs must then fail. It prints each mutant that survives, and restores the code.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const CODE = 'dist/src';
const TIMEOUT_MS = 60_000;

/** The promise, the file, the text that keeps it, the text that breaks it, and the specs that must notice. */
// biome-ignore format: a table is read by its columns
const MUTANTS = [
  ['counters: a count is never below zero (D34)', 'adapters/memory/limits/memory-counters.js', 'entry.count = Math.max(0, entry.count - n)', 'entry.count -= n', ['contract/limits/counters']],
  ['counters: the fullest counter decides', 'adapters/memory/limits/memory-counters.js', 'granted = Math.max(0, Math.min(granted, capacity - count))', 'granted = Math.max(0, capacity - count)', ['contract/limits/counters']],
  ['counters: a permit of an outage goes back to the local counters (D35)', 'adapters/resilience/fallback-counters.js', 'isLocal: true', 'isLocal: false', ['adapters/resilience/fallback-counters']],
  ['counters: a day that nobody has seen begins with its usage (D35)', 'adapters/resilience/restored-counters.js', 'await this.#raise([permit], [used])', 'undefined', ['adapters/resilience/restored-counters']],
  ['usage: that of an account has all its keys (D35)', 'adapters/postgres/limits/postgres-account-usage.js', 'api_key.account_id = (select account_id from api_key where id = wanted.key)', 'api_key.id = wanted.key', ['contract/limits/account-usage']],
  ['console: the largest consumers are those since the time', 'adapters/postgres/accounts/postgres-account-lists.js', 'usage.hour >= :from', ':from is not null', ['contract/accounts/account-lists']],
  ['leases: permits of an outage are not given back to Redis (D35)', 'adapters/caching/limits/leasing-counters.js', 'receipt.isLocal !== lease.receipt.isLocal', 'false', ['adapters/caching/limits/leases-after-outage']],
  ['leases: unused permits are given back after half a second', 'adapters/caching/limits/leasing-counters.js', 'this.#shared.giveBack(receipt, unused)', 'undefined', ['adapters/caching/limits/leasing-counters']],
  ['refunds: one quota at most (D34)', 'application/limits/refund.js', 'if (granted === 0)', 'if (false)', ['application/limits/refund']],
  ['gateway: a key without the scope is refused (contract section 5.5)', 'application/limits/admit-request.js', "key.scopes.includes(FEED_SCOPE)", 'true', ['application/limits']],
  ['feed: the head never decreases (D7)', 'adapters/memory/feed/memory-feed-store.js', 'this.#head = head;\n            const published', 'const published', ['contract/feed/feed-publishing']],
  ['feed: an item that is published again is replaced', 'adapters/memory/feed/memory-feed-store.js', 'this.#items.remove(item.id);\n            const isTaken', 'const isTaken', ['contract/feed', 'domain/feed']],
  ['copy: it serves only the state after a change (D45)', 'adapters/caching/feed/feed-copy.js', 'this.#position.n >= this.#readUpTo', 'true', ['adapters/caching']],
  ['copy: a page whose items have changed has another version', 'domain/feed/feed-index.js', 'this.#numbers.get(id)', 'id', ['domain/feed/feed-index', 'adapters/caching/feed-copy']],
  ['copy: no page that may need older items', 'adapters/caching/feed/feed-copy.js', 'items.length === range.count', 'true', ['adapters/caching/feed-copy']],
  ['copy: a snapshot older than the log is not used (D45)', 'adapters/caching/feed/older-snapshot.js', 'applied === null || holds(position, applied)', 'true', ['adapters/caching']],
  ['pages: a cursor waits for a read of the logs (D44)', 'adapters/caching/feed/hot-pages.js', 'if (isReadFirst(', 'if (false && isReadFirst(', ['contract/feed/feed-store', 'adapters/caching/feed']],
  ['pages: no head below one that was shown (D7)', 'adapters/caching/feed/stored-pages.js', 'if (isBelow(read.head, seen))', 'if (false)', ['adapters/caching/stored-pages']],
  ['pages: a replica of another history does not answer (D45)', 'adapters/postgres/feed/replicated-pages.js', 'samePosition(position, state.at) && ', '', ['adapters/postgres/feed/replicated-pages']],
  ['sessions: those with a former primary are closed (D75)', 'adapters/postgres/session.js', 'dropSession(session, fault);', '', ['adapters/postgres/primary-fence']],
  ['sessions: a former primary is reported only while no host can be used (D75)', 'adapters/postgres/host-answers.js', "if (answers.includes('usable'))", 'if (false)', ['adapters/postgres/host-answers']],
  ['publishing: a correction keeps the first publishing time (D41)', 'domain/feed/publication-outcome.js', "if (typeof endpoint_published_at !== 'string')", 'if (true)', ['domain/feed/publication-outcome']],
  ['markets: a page that the next ones do not fill has those with the words (D65)', 'adapters/postgres/feed/markets/postgres-market-directory.js', "isFull || rows[0]?.is_whole === true ? rows : by('worded')", 'rows', ['adapters/postgres/feed/market-plans', 'contract/feed/markets']],
  ['pages: the last page has no cursor (D8)', 'domain/feed/feed-page.js', 'found.length > limit', 'found.length >= limit', ['domain/feed', 'application/feed']],
  ['bodies: a page with more items has another body than the last one', 'adapters/http/feed/finished-pages.js', "page.nextCursor === null ? 'last' : 'more'", "''", ['http/feed/finished-pages']],
  ['writes: an item below a head that was seen is published again (D45)', 'adapters/caching/feed/copied-writer.js', "mode === 'live' && isBelow", 'false', ['adapters/caching']],
  ['parameters: a limit beyond its range is refused (D13)', 'adapters/http/feed/feed-parameters.js', 'number >= range.minimum && number <= range.maximum', 'true', ['http/feed']],
  ['streams: a superseded change is not sent (D50)', 'adapters/live/logged-changes.js', 'if (entry.isSuperseded)', 'if (false)', ['adapters/live']],
  ['streams: shared changes are those after the same position', 'adapters/fast-paths/shared-changes.js', 'samePosition(progress.position, last.from) && ', '', ['adapters/live']],
  ['history: a replaced item keeps its older version (D59)', 'adapters/postgres/feed/postgres-feed-past.js', 'select * from current union all select * from ended', 'select * from current', ['contract/feed/feed-past']],
  ['history: a backfill is not in the past (D60)', 'adapters/postgres/feed/postgres-feed-past.js', 'and scored_at >= :since and coalesce(n, 0) <= :n', 'and scored_at >= :since', ['contract/feed/feed-past']],
  ['history: the head of a page of the past is that of then (D60)', 'adapters/postgres/feed/postgres-feed-past.js', 'known_at, head from feed_change where `', 'known_at, (select head from feed_head) as head from feed_change where `', ['contract/feed/feed-past']],
  ['history: `known_at` is taken under the lock of the feed (D59)', 'adapters/postgres/migrations/2026-12-03-history.js', 'clock_timestamp() + coalesce(', 'transaction_timestamp() + coalesce(', ['adapters/postgres/feed/known-at']],
  ['history: `known_at` never falls (D59)', 'adapters/postgres/migrations/2026-12-03-history.js', 'greatest(\n           newest.known_at,', 'greatest(', ['adapters/postgres/feed/known-at']],
  ['history: of two versions with one time, the later one counts (D60)', 'adapters/postgres/feed/postgres-feed-past.js', 'order by scored_at desc, n desc limit', 'order by scored_at desc, n limit', ['adapters/postgres/feed/tied-times']],
  ['history: two versions with one time are one place of a page (D60)', 'adapters/postgres/feed/postgres-feed-past.js', 'select distinct on (scored_at) *', 'select *', ['adapters/postgres/feed/tied-times']],
  ['history: a time includes all changes known at it (D61)', 'application/feed/read-history.js', 'plus(from.since, -MICROSECOND)', 'from.since', ['application/feed/read-history']],
  ['history: a page continues after its last change (D61)', 'application/feed/read-history.js', 'block.changes[room - 1]?.change.position ?? block.position', 'block.position', ['application/feed/read-history']],
  ['keys: the grace window is 5 minutes (D22)', 'domain/keys/api-key.js', 'GRACE = 5 * MINUTE', 'GRACE = 6 * MINUTE', ['domain/keys']],
  ['plans: of several, the highest counts', 'domain/billing/plan.js', 'PLAN_NAMES.findLast(', 'PLAN_NAMES.find(', ['domain/billing/plan']],
];

const survived = MUTANTS.filter((mutant) => !isKilled(mutant));
console.log(`\n${MUTANTS.length - survived.length} of ${MUTANTS.length} mutants were noticed`);
for (const [promise] of survived) console.log(`SURVIVED: ${promise}`);
process.exitCode = survived.length === 0 ? 0 : 1;

function isKilled([promise, name, kept, broken, specs]) {
  const file = `${CODE}/${name}`;
  const code = readFileSync(file, 'utf8');
  if (!code.includes(kept)) throw new Error(`${file} has no ${kept}`);
  writeFileSync(file, code.replace(kept, broken));
  try {
    // A mutant may never end: that is noticed too.
    const options = { stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGTERM' };
    const { status } = spawnSync(process.execPath, ['scripts/test.mjs', ...specs], options);
    console.log(`${status === 0 ? 'survived' : 'noticed '}  ${promise}`);
    return status !== 0;
  } finally {
    writeFileSync(file, code);
  }
}
