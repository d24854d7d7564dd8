import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { anInstance, pause, type Stage } from './calls.js';
import { headlineOf, isOutage, isRefused, type Pages, type Refused, readPages } from './pages.js';
import type { KnownItem } from './publisher.js';
import { type RunRecord, touchesPostgres, touchesPostgresOf } from './record.js';
import { type Fault, INSTANCES } from './schedule.js';

const LIMIT = 50;
/** A page without a cursor waits this long for Postgres, and is then as the copy has it, perhaps older (D44). */
const LATE_MS = 100;
/** After an outage of Postgres, a probe and a read of the logs end the use of the copy as it is. */
const POSTGRES_BACK_MS = 3_000;

/** The positions that clients have seen, which the log must have at the end (D45). */
export type SeenPositions = Set<string>;

type Parts = {
  readonly stage: Stage;
  readonly record: RunRecord;
  readonly random: SeededRandom;
  readonly key: string;
  readonly positions: SeenPositions;
};

/** Notes an answer that no fault explains. */
function judgeRefusal(refused: Refused, record: RunRecord, what: string): void {
  if (isOutage(refused)) record.count(`${what} without an answer, or 503`);
  else record.violated('a valid key is served, or gets 503', `${what}: ${refused.status} ${refused.text}`);
}

/** A poller sends the last `Feed-Head` as `since`, and misses no live item (D7, D8). */
export class Poller {
  readonly #parts: Parts;
  /** The text of each item that it got last. */
  readonly items = new Map<string, string>();
  /** The first head: it has all live items above it. */
  firstHead: string | null = null;
  #since: string | null = null;
  /** The greatest head of each process: a later answer never has a lower one (D7). */
  readonly #heads = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    while (!this.#parts.stage.isOver()) {
      await this.poll(anInstance(this.#parts.random));
      await pause(this.#parts.random, 20, 100);
    }
  }

  /** All pages from one instance: during an outage of Postgres another one may lack items that the first one had (D44). */
  async poll(n: number): Promise<void> {
    const { stage, record, key, positions } = this.#parts;
    const { instance, incarnation } = stage.installation.member(n);
    const read = await readPages(() => instance.url, key, LIMIT, this.#since);
    if (isRefused(read)) return judgeRefusal(read, record, 'polls');
    record.count('polls answered');
    positions.add(read.position);
    this.#judgeHead(n, incarnation, read);
    for (const { id, text } of read.items) this.items.set(id, text);
    if (read.head === '') return;
    this.firstHead ??= read.head;
    this.#since = read.head;
  }

  /** While Postgres does not answer this instance in time, a page may be older than an earlier one (D44). */
  #judgeHead(n: number, incarnation: number, { head, position, firstMs }: Pages): void {
    const { record } = this.#parts;
    const process = `instance ${n}, process ${incarnation}`;
    const before = this.#heads.get(process) ?? '';
    const [now, touches] = [record.now(), touchesPostgresOf(n)];
    const mayFall = firstMs >= LATE_MS || record.wasFaulty(now - firstMs, now, POSTGRES_BACK_MS, touches);
    record.count(mayFall ? 'heads not judged' : 'heads judged');
    if (head < before && !mayFall)
      record.violated(
        'the head of an instance never falls (D7)',
        `${process}: ${head} at ${position} after ${before}`,
      );
    if (head > before) this.#heads.set(process, head);
  }
}

/** An instance shows a change of another one this soon, also if all messages are lost (D39). */
const SHOWN_AFTER_MS = 1_500;
/** After a fault of Postgres, an instance has read the logs this soon: the probe, then the read. */
const RECOVERED_AFTER_MS = 3_000;

/**
 * After a pause, a page without a cursor waits for the read of the logs, but no longer than 1 s (D39), and then comes from the
 * copy (D35). A walk whose first page is outdated misses what has moved above it since.
 */
const mayBeOutdated = (fault: Fault): boolean => touchesPostgres(fault) || fault.kind === 'instance frozen';

/**
 * A walk reads each page from another instance. It has every item that did not change meanwhile exactly once (D44), unless
 * Postgres was unavailable to an instance (D35).
 */
export class Walker {
  readonly #parts: Parts;
  readonly #known: () => readonly KnownItem[];

  constructor(parts: Parts, known: () => readonly KnownItem[]) {
    this.#parts = parts;
    this.#known = known;
  }

  async run(): Promise<void> {
    while (!this.#parts.stage.isOver()) {
      await this.walk(anInstance(this.#parts.random));
      await pause(this.#parts.random, 100, 500);
    }
  }

  async walk(first: number): Promise<void> {
    const { stage, record, key, positions } = this.#parts;
    const from = record.now();
    const expected = this.#known()
      .filter(({ acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt < from - SHOWN_AFTER_MS)
      .map((item) => ({ item, ...item }));
    const read = await readPages((page) => stage.installation.url((first + page) % INSTANCES), key, LIMIT);
    if (isRefused(read)) return judgeRefusal(read, record, 'walks');
    record.count('walks');
    positions.add(read.position);
    const seen = new Map(read.items.map(({ id, text }) => [id, headlineOf(text)]));
    if (record.wasFaulty(from, record.now(), RECOVERED_AFTER_MS, mayBeOutdated)) return;
    record.count('walks judged');
    if (read.repeated.length > 0)
      record.violated('a walk has each item once (D6)', `from instance ${first}: ${read.repeated}`);
    for (const { item, id, headline, beganAt } of expected) {
      if (item.beganAt !== beganAt || (seen.get(id) ?? null) === headline) continue;
      record.violated(
        'a walk has the acknowledged state (D44)',
        `from instance ${first} at ${Math.round(from)} ms, position ${read.position}: ${id} is ` +
          `${seen.get(id)}, acknowledged ${headline} at ${Math.round(item.acknowledgedAt ?? 0)} ms`,
      );
    }
  }
}
