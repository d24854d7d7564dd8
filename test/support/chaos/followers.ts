import { positionToken } from '../../../src/domain/feed/position.js';
import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { type ConnectionPlan, Follower, type FollowerPlan } from '../followers/follower.js';
import { walk } from '../followers/walk.js';
import type { Stage } from './calls.js';
import type { Installation } from './installation.js';
import type { SeenPositions } from './readers.js';
import type { RunRecord } from './record.js';
import { INSTANCES } from './schedule.js';

const FORMS = ['sse', 'ws', 'sse-gzip', 'ws-deflate', 'batch'] as const;
/** Each form is the only one of one follower; the last follower changes between all. */
const FOLLOWERS = FORMS.length + 1;
/** More than a run has. Each connection ends after some bytes, and the next one resumes. */
const CONNECTIONS = 20_000;
const BYTES_MAX = 60_000;
const PAGE_ITEMS_MAX = 500;

const FILTERS: readonly Pick<FollowerPlan, 'start' | 'markets' | 'filters'>[] = [
  { start: 'walk', markets: null, filters: '' },
  { start: 'walk', markets: null, filters: '' },
  { start: 'walk', markets: ['m1', 'm2'], filters: '' },
  { start: 'walk', markets: null, filters: 'category=x' },
  { start: 'since', markets: null, filters: '' },
  { start: 'walk', markets: null, filters: 'q=third' },
];

function planOf(n: number, random: SeededRandom): FollowerPlan {
  const forms = n < FORMS.length ? FORMS.slice(n, n + 1) : FORMS;
  const connection = (): ConnectionPlan => ({
    form: forms[random.whole(0, forms.length - 1)] ?? 'sse',
    instance: random.whole(0, INSTANCES - 1),
    bytesMax: random.whole(100, BYTES_MAX),
  });
  const filter = FILTERS[n % FILTERS.length] ?? { start: 'walk', markets: null, filters: '' };
  return { ...filter, pageItems: 20, connections: Array.from({ length: CONNECTIONS }, connection) };
}

const summaryOf = ({ plan: { start, markets, filters, connections } }: Follower): string =>
  JSON.stringify({ start, markets, filters, form: connections[0]?.form });

/** Clients that follow the feed by streams in all forms, and resume after every end. */
export class Followers {
  readonly #installation: Installation;
  readonly #record: RunRecord;
  readonly #key: string;
  readonly #followers: readonly Follower[];
  readonly #judged = new Set<Follower>();

  constructor(stage: Stage, record: RunRecord, random: SeededRandom, key: string, positions: SeenPositions) {
    this.#installation = stage.installation;
    this.#record = record;
    this.#key = key;
    const startedAt = new Date(stage.time()).toISOString();
    const isKnown = (position: Parameters<typeof positionToken>[0]) => {
      positions.add(positionToken(position));
      return true;
    };
    this.#followers = Array.from(
      { length: FOLLOWERS },
      (_, n) => new Follower(planOf(n, random), { key, url: stage.installation.url }, startedAt, isKnown),
    );
  }

  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  drop(): void {
    for (const follower of this.#followers) follower.drop();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }

  /** Those that do not have an item. */
  without(id: string): readonly string[] {
    return this.#followers.filter(({ items }) => !items.has(id)).map(summaryOf);
  }

  /** Records what a follower got that it must not get, once. */
  judgeSoFar(): void {
    for (const follower of this.#followers) {
      if ((follower.fault === null && follower.expired === 0) || this.#judged.has(follower)) continue;
      this.#judged.add(follower);
      if (follower.fault !== null)
        this.#record.violated(
          'a stream has no gap and no repetition (D49, D50)',
          `${summaryOf(follower)}: ${follower.fault}`,
        );
      if (follower.expired > 0)
        this.#record.violated('a position stays valid (D45, D46)', summaryOf(follower));
    }
  }

  /** Each has the items of a walk with its filters, exactly as that shows them. */
  async judgeItems(): Promise<void> {
    for (const follower of this.#followers) {
      const { plan, items, since } = follower;
      const feed = await this.#walk(plan, null);
      const needed = since === null ? feed : await this.#walk(plan, since);
      const wrong = [...items].filter(([id, text]) => feed.get(id) !== text).map(([id]) => id);
      const missing = [...needed.keys()].filter((id) => !items.has(id));
      this.#record.count('items of followers compared', items.size);
      if (wrong.length > 0 || missing.length > 0)
        this.#record.violated(
          'a follower has the state of a walk (D50)',
          `${summaryOf(follower)}: other than in the feed: ${wrong}; missing: ${missing}`,
        );
    }
  }

  async #walk({ markets, filters }: FollowerPlan, since: string | null) {
    const urlOf = this.#installation.url;
    const walked = await walk({ key: this.#key, markets, filters, since, limit: PAGE_ITEMS_MAX, urlOf });
    if (walked === null) throw new Error('the service does not answer');
    return walked.items;
  }
}
