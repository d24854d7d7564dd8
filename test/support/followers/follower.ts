import { setTimeout } from 'node:timers/promises';
import type { WireForm } from '../../../src/adapters/live/messages/message.js';
import type { Position } from '../../../src/domain/feed/position.js';
import { readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import { CheckedConnection } from '../streams/checked-connection.js';
import { type ReceivedMessage, received } from '../streams/frame-reader.js';
import type { Market } from '../streams/model-items.js';
import { type Connection, type End, readBatchBytes, readStreamBytes } from './raw-stream.js';
import { expectSame, type Items, walk } from './walk.js';

/** How a follower connects once. */
export type ConnectionPlan = {
  readonly form: WireForm | 'batch';
  readonly instance: number;
  /** It drops the connection after this number of bytes; null: it does not. */
  readonly bytesMax: number | null;
};

export type FollowerPlan = {
  /** `since`: it begins with a replay of the items from the start of the run on. */
  readonly start: 'walk' | 'since';
  readonly markets: readonly Market[] | null;
  /** Filters by content, as a query. */
  readonly filters: string;
  readonly pageItems: number;
  /** In turn. */
  readonly connections: readonly ConnectionPlan[];
};

type Service = { readonly key: string; readonly url: (instance: number) => string };

const RECONNECT_MS = 5;
const BATCH_QUERY = '&limit=20&wait=1';

/** A client of the service that follows the feed as docs/live.md says, over HTTP only. */
export class Follower {
  readonly plan: FollowerPlan;
  readonly since: string | null;
  readonly #service: Service;
  readonly #isKnown: (position: Position) => boolean;
  items: Items = new Map();
  /** How often its position had expired. */
  expired = 0;
  #position: string | null = null;
  /**
   * The number of the newest change that its walk may have read, while its position is older. If the store returns to a
   * state in between, the position stays valid, and no client can notice that (D45).
   */
  #ahead: number | null = null;
  #isWalking = false;
  #isRestoring = false;
  #hasToStartAgain = false;
  #connections = 0;
  #current = new AbortController();
  #isStopped = false;
  #isAway = false;
  #running: Promise<void> = Promise.resolve();
  /** What it got that it must not get. */
  fault: unknown = null;

  /** `isKnown` tells whether the log has or had a change with this position. */
  constructor(
    plan: FollowerPlan,
    service: Service,
    startedAt: string,
    isKnown: (position: Position) => boolean = () => true,
  ) {
    this.#isKnown = isKnown;
    this.plan = plan;
    this.since = plan.start === 'since' ? startedAt : null;
    this.#service = service;
  }

  start(): void {
    this.#running = this.#follow().catch((fault) => {
      this.fault = fault;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.drop();
    await this.#running;
  }

  /** Drops its connection. */
  drop(): void {
    this.#current.abort();
  }

  /** Drops its connection, and stays without one until `comeBack`. */
  stayAway(): void {
    this.#isAway = true;
    this.drop();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  /** The store begins to return to an older state. */
  restoring(): void {
    this.#isRestoring = true;
    this.#hasToStartAgain = this.#isWalking || this.#ahead !== null;
  }

  /** All instances have noticed the older state. */
  restored(): void {
    this.#isRestoring = false;
    if (this.#hasToStartAgain) this.drop();
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#hasToStartAgain && !this.#isRestoring) this.#startAgain();
      const isWalk = this.#position === null && this.since === null;
      if (!this.#isAway) await (isWalk ? this.#walk() : this.#connect());
      await setTimeout(RECONNECT_MS);
    }
  }

  #expire(): void {
    this.expired += 1;
    this.#startAgain();
  }

  #startAgain(): void {
    this.#hasToStartAgain = false;
    this.#ahead = null;
    this.#position = null;
    this.items = new Map();
  }

  async #walk(): Promise<void> {
    this.#isWalking = true;
    if (this.#isRestoring) this.#hasToStartAgain = true;
    const { markets, filters, pageItems: limit } = this.plan;
    const { instance } = this.#nextConnection();
    const { key } = this.#service;
    // All pages from one instance: another one may be behind the position of the first page by half a second.
    const urlOf = () => this.#service.url(instance);
    const walked = await walk({ key, markets, filters, limit, urlOf });
    this.#isWalking = false;
    if (walked === null) return;
    this.items = walked.items;
    this.#ahead = numberOf(walked.last);
    this.#moveTo(walked.first);
  }

  async #connect(): Promise<void> {
    const plan = this.#nextConnection();
    this.#current = new AbortController();
    if (this.#isStopped) return;
    const { form, bytesMax } = plan;
    const connection = { key: this.#service.key, bytesMax, signal: this.#current.signal };
    const checked = new CheckedConnection(this.#position, this.#isKnown);
    const url = this.#url(plan);
    const end =
      form === 'batch'
        ? await this.#readBatch({ ...connection, url }, checked)
        : await readStreamBytes({ ...connection, url }, form, (message) => {
            checked.check(message);
            this.#apply(message);
          });
    if (end.status === 410) this.#expire();
    else if (end.status >= 400 && end.status < 500) throw new Error(`refused: ${end.body}`);
  }

  async #readBatch(connection: Connection, checked: CheckedConnection): Promise<End> {
    const end = await readBatchBytes(connection);
    if (end.status !== 200 || end.body === '') return end;
    const { messages, ...rest } = JSON.parse(end.body) as {
      readonly messages: readonly object[];
      readonly position: string;
    };
    const texts = messages.map((message) => JSON.stringify(message));
    expectSame(end.body, `{"messages":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`);
    const all = texts.map((text) => received(text));
    checked.checkBatch(all, rest.position);
    for (const message of all) this.#apply(message);
    this.#moveTo(rest.position);
    return end;
  }

  /** The planned connections, then undisturbed ones in all forms. */
  #nextConnection(): ConnectionPlan {
    const { connections } = this.plan;
    const n = this.#connections;
    this.#connections += 1;
    const planned = connections[n % connections.length];
    if (planned === undefined) throw new Error('a follower needs a connection');
    return n < connections.length ? planned : { ...planned, instance: planned.instance + n, bytesMax: null };
  }

  #url({ instance, form }: ConnectionPlan): URL {
    const query = new URLSearchParams(this.plan.filters);
    if (this.#position !== null) query.set('after', this.#position);
    else query.set('since', this.since ?? '');
    for (const market of this.plan.markets ?? []) query.append('market_id', market);
    return new URL(
      `${this.#service.url(instance)}/pm/v2/stream?${query}${form === 'batch' ? BATCH_QUERY : ''}`,
    );
  }

  #apply({ type, position, json }: ReceivedMessage): void {
    this.#moveTo(position);
    const { id, item, problem } = JSON.parse(json) as {
      readonly id?: string;
      readonly item?: { readonly news_event: { readonly id: string } };
      readonly problem?: { readonly code: string };
    };
    if (type === 'retraction') this.items.delete(String(id));
    // The text of the item as it was sent: it is the last member.
    const text = json.slice(json.indexOf('"item":') + '"item":'.length, -1);
    if (item !== undefined) this.items.set(item.news_event.id, text);
    if (problem?.code === 'position_expired') this.#expire();
    else if (problem !== undefined && problem.code !== 'unavailable') throw new Error(`closed: ${json}`);
  }

  #moveTo(position: string): void {
    this.#position = position;
    if (this.#ahead !== null && numberOf(position) >= this.#ahead) this.#ahead = null;
  }
}

/** The number of the change at a position; 0 inside a replay. */
function numberOf(position: string): number {
  const progress = readStreamPosition(position);
  if (progress === null) throw new Error(`not a position: ${position}`);
  return progress.of === 'log' ? progress.position.n : 0;
}
