import { setTimeout } from 'node:timers/promises';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { market, publication, subMarket } from '../objects/builders.js';
import { unique } from '../service/api-calls.js';
import { MARKETS, type Market } from '../streams/model-items.js';
import { Follower, type FollowerPlan } from './follower.js';
import type { Action, Case, Published } from './follower-actions.js';
import type { TwoInstances } from './two-instances.js';
import { type Items, walk } from './walk.js';

/** Far more than a run needs. It ends before mocha would end the test, so that fast-check prints the seed. */
const MEET_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 5;
const MINUTE_MS = 60_000;
const PAGE_ITEMS_MAX = 500;

/** Throws if a follower has other items than the service at the end, or got what it must not get (D49, D50). */
export async function runFollowers(service: TwoInstances, plan: Case): Promise<void> {
  const run = new FollowerRun(service, plan);
  try {
    await run.start();
    for (const action of plan.actions) await run.act(action);
    await run.expectEqualStates();
  } finally {
    await run.end();
  }
}

class FollowerRun {
  readonly #service: TwoInstances;
  readonly #followers: readonly Follower[];
  /** Of the items of this run. */
  readonly #prefix = unique();
  readonly #startedAt = Date.now();
  readonly #pending = new Set<Promise<void>>();
  #revisions = 0;
  #fault: unknown = null;

  constructor(service: TwoInstances, { followers }: Case) {
    this.#service = service;
    const startedAt = new Date(this.#startedAt).toISOString();
    this.#followers = followers.map((plan) => new Follower(plan, service, startedAt));
  }

  async start(): Promise<void> {
    const before = MARKETS.map((one, n) => ({ name: `before-${n}`, markets: [one], minutes: n, text: '' }));
    await this.#publish(0, before, 'backfill');
    for (const follower of this.#followers) follower.start();
  }

  /** Leaves an empty feed. */
  async end(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    await this.#settle();
    for (const id of (await this.#walk(EVERYTHING)).keys()) await this.#service.retract(0, id);
  }

  async act(action: Action): Promise<void> {
    await this.#act(action);
    this.#throwFaults();
  }

  async expectEqualStates(): Promise<void> {
    await this.#settle();
    await this.#meet();
    for (const { plan, items, since } of this.#followers) {
      const feed = await this.#walk(plan);
      const needed = since === null ? feed : await this.#walk(plan, since);
      for (const [id, text] of items)
        if (feed.get(id) !== text)
          throw new Error(`${JSON.stringify(plan)} has ${text}, the feed has ${feed.get(id)}`);
      for (const [id, text] of needed)
        if (!items.has(id)) throw new Error(`${JSON.stringify(plan)} does not have ${text}`);
    }
  }

  #act(action: Action): Promise<void> | void {
    const service = this.#service;
    switch (action.do) {
      case 'publish':
        return this.#concurrently(
          action.isAwaited,
          this.#publish(action.instance, action.items, action.mode),
        );
      case 'retract':
        return this.#concurrently(action.isAwaited, service.retract(action.instance, this.#id(action.name)));
      case 'drop':
        return this.#drop(action);
      case 'meet':
        return this.#meet();
      case 'trim':
        return service.trim(action.kept);
      case 'kill':
        return service.kill(action.instances);
      case 'backUp':
        return service.backUp();
      case 'restore':
        return this.#restore();
    }
  }

  #drop({ follower: n, isAway }: Extract<Action, { readonly do: 'drop' }>): void {
    const follower = this.#followers[n % this.#followers.length];
    if (isAway) follower?.stayAway();
    else follower?.drop();
  }

  async #restore(): Promise<void> {
    // A publication of the store before must not be published again in the store after.
    await this.#settle();
    for (const follower of this.#followers) follower.restoring();
    await this.#service.restore();
    for (const follower of this.#followers) follower.restored();
  }

  async #concurrently(isAwaited: boolean, change: Promise<void>): Promise<void> {
    const done = change
      .catch((fault) => {
        this.#fault ??= fault;
      })
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    if (isAwaited) await done;
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#pending);
    await this.#service.allStarted();
  }

  /** Publishes an item that passes every filter, and waits until all have it, and so everything before it. */
  async #meet(): Promise<void> {
    const name = `meeting-${this.#revisions}`;
    await this.#publish(0, [{ name, markets: MARKETS, minutes: 0, text: MET }], 'live');
    for (const follower of this.#followers) follower.comeBack();
    const until = performance.now() + MEET_WITHIN_MS;
    const isLate = ({ items }: Follower) => !items.has(this.#id(name));
    while (this.#followers.some(isLate)) {
      this.#throwFaults();
      if (performance.now() > until) {
        const late = this.#followers.filter(isLate).map(({ plan }) => JSON.stringify(plan));
        throw new Error(`followers do not catch up: ${late}`);
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }

  #publish(instance: number, items: readonly Published[], mode: 'live' | 'backfill'): Promise<void> {
    return this.#service.publish(
      instance,
      items.map((item) => this.#publication(item, mode)),
      mode,
    );
  }

  /** Every publication has another text, so that two changes never look the same. */
  #publication({ name, markets, minutes, text }: Published, mode: 'live' | 'backfill'): PublicationInput {
    this.#revisions += 1;
    const at = new Date(this.#startedAt - (mode === 'live' ? 0 : minutes * MINUTE_MS)).toISOString();
    const { news_event, ...rest } = publication({
      id: this.#id(name),
      scored_at: at,
      related_markets: [
        market('odd', ...subMarkets(markets, ['m1', 'm3'])),
        market('even', ...subMarkets(markets, ['m2', 'm4'])),
      ].filter(({ sub_markets }) => sub_markets.length > 0),
    });
    const headline = `revision ${this.#revisions} ${this.#revisions % 3 === 0 ? 'third' : 'other'} ${text}`;
    const feed_categories = [text === MET || this.#revisions % 2 === 0 ? 'x' : 'y'];
    return { news_event: { ...news_event, headline, feed_categories }, ...rest };
  }

  #id(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  async #walk(
    { markets, filters }: Pick<FollowerPlan, 'markets' | 'filters'>,
    since: string | null = null,
  ): Promise<Items> {
    const { key } = this.#service;
    await this.#service.untilFollowed();
    const urlOf = (page: number) => this.#service.url(page);
    const walked = await walk({ key, markets, filters, since, limit: PAGE_ITEMS_MAX, urlOf });
    if (walked === null) throw new Error('the service does not answer');
    return walked.items;
  }

  #throwFaults(): void {
    const fault = this.#fault ?? this.#followers.find((one) => one.fault !== null)?.fault;
    if (fault != null) throw fault;
  }
}

/** Passes every filter, with the category `x`. */
const MET = 'third';

const EVERYTHING = { markets: null, filters: '' };

const subMarkets = (markets: readonly Market[], of: readonly Market[]) =>
  markets.filter((one) => of.includes(one)).map((one) => subMarket(one));
