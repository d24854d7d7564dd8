import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { market, publication, subMarket } from '../objects/builders.js';
import { ndjson } from '../service/api-calls.js';
import { MARKETS } from '../streams/model-items.js';
import { anInstance, ask, pause, type Stage, untilAnswered } from './calls.js';
import type { RunRecord } from './record.js';

/** What the publisher of an item knows about it. Times are milliseconds of the run. */
export type KnownItem = {
  readonly id: string;
  /** The headline that was acknowledged last; null after a retraction, and before the first acknowledgement. */
  headline: string | null;
  /** Whether its `scored_at` is above the head of the feed at that time (D7). */
  isLive: boolean;
  /** The acknowledged changes, and the requests for them: one without an answer may have had an effect. */
  acknowledged: number;
  attempts: number;
  /** When the last change began, and when it was acknowledged; null while it is not. */
  beganAt: number;
  acknowledgedAt: number | null;
};

const ITEMS_MAX = 100;
const BATCH_MAX = 5;
const MINUTE_MS = 60_000;

/** Publishes, replaces and retracts items that no other publisher has, each change after the one before is acknowledged. */
export class Publisher {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #record: RunRecord;
  readonly #random: SeededRandom;
  readonly items = new Map<string, KnownItem>();
  /** The items whose only change was acknowledged at the first attempt, in that order. */
  readonly once: string[] = [];
  #revisions = 0;

  constructor(name: string, stage: Stage, record: RunRecord, random: SeededRandom) {
    this.#name = name;
    this.#stage = stage;
    this.#record = record;
    this.#random = random;
  }

  async run(): Promise<void> {
    while (!this.#stage.isOver()) {
      await this.#act();
      await pause(this.#random, 20, 150);
    }
  }

  /** Publishes an item that passes every filter of the followers, and returns its id. */
  async publishMeeting(): Promise<string> {
    const item = this.#fresh('meeting');
    await this.#publish([item], 'live', true);
    return item.id;
  }

  #act(): Promise<void> {
    const live = [...this.items.values()].filter(({ headline }) => headline !== null);
    const some = this.#random.some(live, this.#random.whole(1, BATCH_MAX));
    const [one] = some;
    if (one !== undefined && (live.length > ITEMS_MAX || this.#random.chance(0.2))) return this.#retract(one);
    if (one !== undefined && this.#random.chance(0.4)) return this.#publish(some, 'live');
    const fresh = Array.from({ length: this.#random.whole(1, BATCH_MAX) }, () => this.#fresh('item'));
    return this.#publish(fresh, this.#random.chance(0.2) ? 'backfill' : 'live');
  }

  #fresh(kind: string): KnownItem {
    const id = `${this.#name}-${kind}-${this.items.size}`;
    const item = {
      ...{ id, headline: null, isLive: false, acknowledged: 0, attempts: 0 },
      ...{ beganAt: 0, acknowledgedAt: null },
    };
    this.items.set(id, item);
    return item;
  }

  async #publish(
    items: readonly KnownItem[],
    mode: 'live' | 'backfill',
    passesFilters = false,
  ): Promise<void> {
    const publications = items.map((item) => this.#publication(item, mode, passesFilters));
    const body = ndjson(publications);
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const reply = await this.#change(items, `?mode=${mode}`, { method: 'POST', headers, body });
    // An attempt without an answer may have been stored: the next one is unchanged then (D11).
    if (reply.status !== 200 || !reply.text.endsWith('"rejected":[]}')) {
      const ids = items.map(({ id }) => id);
      this.#record.violated('a valid publication is accepted', `${ids}: ${reply.status} ${reply.text}`);
      return;
    }
    this.#record.count('publications acknowledged', items.length);
    for (const [n, item] of items.entries()) {
      item.headline = publications[n]?.news_event.headline ?? null;
      item.isLive = mode === 'live';
      if (item.attempts === 1 && mode === 'live') this.once.push(item.id);
    }
    this.#acknowledge(items);
  }

  async #retract(item: KnownItem): Promise<void> {
    const before = item.attempts;
    const reply = await this.#change([item], `/${encodeURIComponent(item.id)}`, { method: 'DELETE' });
    // A request before it, without an answer, may have retracted the item.
    const isGone = reply.status === 404 && item.attempts > before + 1;
    if (reply.status !== 204 && !isGone)
      this.#record.violated('a retraction is accepted', `${item.id}: ${reply.status} ${reply.text}`);
    this.#record.count('retractions acknowledged');
    item.headline = null;
    this.#acknowledge([item]);
  }

  async #change(items: readonly KnownItem[], path: string, asked: Parameters<typeof ask>[1]) {
    const { installation } = this.#stage;
    const headers = { ...asked?.headers, Authorization: `Bearer ${installation.tokens.publisher}` };
    for (const item of items) {
      item.beganAt = this.#record.now();
      item.acknowledgedAt = null;
    }
    const { reply, attempts } = await untilAnswered(anInstance(this.#random), (n) => {
      for (const item of items) item.attempts += 1;
      return ask(`${installation.internalUrl(n)}/internal/v1/news${path}`, { ...asked, headers });
    });
    if (attempts > 1) this.#record.count('changes of the feed sent again', attempts - 1);
    return reply;
  }

  #acknowledge(items: readonly KnownItem[]): void {
    for (const item of items) {
      item.acknowledged += 1;
      item.acknowledgedAt = this.#record.now();
    }
  }

  /** Every publication has another headline, so that two changes never look the same. */
  #publication({ id }: KnownItem, mode: 'live' | 'backfill', passesFilters: boolean): PublicationInput {
    this.#revisions += 1;
    const random = this.#random;
    const markets = passesFilters ? MARKETS : random.some(MARKETS, random.whole(1, MARKETS.length));
    const of = (group: readonly string[]) =>
      markets.filter((one) => group.includes(one)).map((one) => subMarket(one));
    const minutes = random.whole(2, 60);
    const { news_event, ...rest } = publication({
      id,
      ...(mode === 'backfill' && {
        scored_at: new Date(this.#stage.time() - minutes * MINUTE_MS).toISOString(),
      }),
      related_markets: [market('odd', ...of(['m1', 'm3'])), market('even', ...of(['m2', 'm4']))].filter(
        ({ sub_markets }) => sub_markets.length > 0,
      ),
    });
    const text = passesFilters || random.chance(0.3) ? 'third' : 'other';
    const headline = `${this.#name} revision ${this.#revisions} ${text}`;
    const feed_categories = [passesFilters || random.chance(0.5) ? 'x' : 'y'];
    return { news_event: { ...news_event, headline, feed_categories }, ...rest };
  }
}
