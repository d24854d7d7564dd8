import { BatchSink } from '../../../src/adapters/live/connections/batch-sink.js';
import type { Message, WireForm } from '../../../src/adapters/live/messages/message.js';
import type { RunningStream, StreamRequest } from '../../../src/adapters/live/open-stream.js';
import type { TermFilter } from '../../../src/domain/feed/filters/item-terms.js';
import { positionToken } from '../../../src/domain/feed/position.js';
import { readStreamPosition, streamToken } from '../../../src/domain/feed/stream-position.js';
import type { StreamStart } from '../../../src/domain/feed/stream-start.js';
import { MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { NOON } from '../objects/builders.js';
import { CheckedConnection } from './checked-connection.js';
import { FrameReader, type ReceivedMessage, received } from './frame-reader.js';
import type { ModelInstance } from './model-instance.js';
import { filtered, type Held, heldItem, type Market } from './model-items.js';
import { streamRequest } from './open-streams.js';
import { RecordedSink } from './recorded-sink.js';
import type { RestorableFeed } from './restorable-feed.js';

export type ClientPlan = {
  /** `since`: its first stream replays the items from this many minutes before noon on. */
  readonly start: 'walk' | { readonly sinceMinutes: number };
  readonly markets: readonly Market[] | null;
  readonly terms: TermFilter;
  readonly form: WireForm | 'batch';
  readonly isSlow: boolean;
};

/** `sent`: a wrong client, which resumes after messages that it has not received. */
export type Resumption = 'received' | 'sent';

type Connection = {
  readonly instance: ModelInstance;
  readonly sink: RecordedSink | BatchSink;
  readonly stream: RunningStream;
  readonly reader: FrameReader | null;
  readonly checked: CheckedConnection;
};

const PAGE = 3;

/** A client that keeps its own copy of the feed: it walks by REST or replays, follows a stream, and resumes it. */
export class ModelClient {
  readonly plan: ClientPlan;
  readonly #feed: RestorableFeed;
  readonly #resumption: Resumption;
  readonly #report: (fault: unknown) => void;
  held: Held = new Map();
  #position: string | null = null;
  /** The walk under way: the time before which it continues. */
  #walk: { readonly before: Moment } | null = null;
  /**
   * While its position is older than what it has read: the changes that it may have read, and the restores until then. If
   * the store returns to a state in between, the position stays valid, and the client cannot notice that (D45).
   */
  #ahead: { readonly upTo: number; readonly restores: number } | null = null;
  #isOpening = false;
  #isClosed = false;
  #connection: Connection | null = null;
  /** The position of the last message that was sent to it. */
  #sentPosition: string | null = null;
  #heartbeat: string | null = null;

  constructor(
    plan: ClientPlan,
    feed: RestorableFeed,
    resumption: Resumption,
    report: (fault: unknown) => void,
  ) {
    this.plan = plan;
    this.#feed = feed;
    this.#resumption = resumption;
    this.#report = report;
  }

  get since(): Moment | null {
    const { start } = this.plan;
    return start === 'walk' ? null : plus(NOON, -start.sinceMinutes * MINUTE);
  }

  /** Whether it has received every change of the feed, and knows it. */
  get isCaughtUp(): boolean {
    if (this.#walk !== null) return false;
    const newest = positionToken(this.#feed.log.newest);
    if (this.plan.form === 'batch') return this.#position === newest;
    return this.#connection?.checked.isLive === true && this.#heartbeat === newest;
  }

  /** The next page of its walk, the next connection, or what has arrived. */
  step(instance: ModelInstance): void {
    if (this.#isOpening) return;
    if (this.#ahead !== null && this.#ahead.restores !== this.#feed.restores) this.#startAgain();
    if (this.#connection !== null) this.receive(1);
    else if (this.#walk !== null || (this.#position === null && this.since === null)) this.#readPage();
    else void this.#connect(instance).catch(this.#report);
  }

  /** Receives this share of the bytes that have been sent. */
  receive(share: number): void {
    const { sink, reader, checked } = this.#connection ?? {};
    if (!(sink instanceof RecordedSink) || reader == null) return;
    for (const message of reader.push(sink.deliver(share))) {
      checked?.check(message);
      this.#apply(message);
    }
    if (share === 1 && sink.isClosed) this.disconnect(1);
  }

  /** The connection accepts what was written. */
  accept(): void {
    const { sink } = this.#connection ?? {};
    if (sink instanceof RecordedSink) sink.accept();
  }

  /** Cuts the connection after this share of the bytes that are under way. */
  disconnect(share: number): void {
    if (this.#connection === null) return;
    const connection = this.#connection;
    if (share < 1) this.receive(share);
    this.#connection = null;
    connection.sink.destroy();
    connection.stream.closed('client');
    if (this.#resumption === 'sent' && this.#position !== null) this.#position = this.#sentPosition;
  }

  close(): void {
    this.#isClosed = true;
    this.disconnect(1);
  }

  isOn(instance: ModelInstance): boolean {
    return this.#connection?.instance === instance;
  }

  #readPage(): void {
    const before = this.#walk?.before ?? null;
    const { items, position } = this.#feed.page({
      ...{ before, since: null, newsId: null, marketId: null, terms: [] },
      count: PAGE,
    });
    this.#position ??= positionToken(position);
    this.#noteAhead();
    for (const item of items) {
      const json = filtered(item, this.plan);
      if (json !== null) this.held.set(item.id, heldItem(item.scoredAt, json));
    }
    const last = items.at(-1);
    const isLast = last === undefined || items.length < PAGE;
    this.#walk = isLast ? null : { before: last.scoredAt };
  }

  #noteAhead(): void {
    const restores = this.#ahead?.restores ?? this.#feed.restores;
    this.#ahead = { upTo: this.#feed.log.newest.n, restores };
  }

  #moveTo(position: string): void {
    this.#position = position;
    const progress = readStreamPosition(position);
    if (progress?.of === 'log' && progress.position.n >= (this.#ahead?.upTo ?? 0)) this.#ahead = null;
  }

  #startAgain(): void {
    this.#ahead = null;
    this.disconnect(0);
    this.held = new Map();
    this.#position = null;
    this.#walk = null;
  }

  async #connect(instance: ModelInstance): Promise<void> {
    this.#isOpening = true;
    const prepared = await instance.open(this.#request());
    this.#isOpening = false;
    if (prepared === null) return;
    if (!isRefusal(prepared) && (this.#isClosed || instance.isClosed)) return prepared.abandon();
    if (isRefusal(prepared)) return this.#refused(prepared.refused);
    this.#heartbeat = null;
    const checked = new CheckedConnection(this.#position, (position) => this.#feed.hasHad(position));
    const { form, isSlow } = this.plan;
    if (form === 'batch') {
      const sink = new BatchSink({ limit: isSlow ? 7 : 100, waitMs: isSlow ? 0 : 1_000 });
      const stream = prepared.start(sink);
      this.#connection = { instance, sink, stream, reader: null, checked };
      void this.#receiveBatch(this.#connection, sink).catch(this.#report);
    } else {
      const sink = new RecordedSink({ form, isSlow, onSent: (messages) => this.#sent(instance, messages) });
      const stream = prepared.start(sink);
      this.#connection = { instance, sink, stream, reader: new FrameReader(form), checked };
    }
  }

  #sent(instance: ModelInstance, messages: readonly Message[]): void {
    for (const message of messages) instance.check(message);
    this.#sentPosition = messages.at(-1)?.position ?? this.#sentPosition;
  }

  #request(): StreamRequest {
    const { form, markets, terms } = this.plan;
    return {
      ...streamRequest({
        form: form === 'batch' ? 'batch' : form.startsWith('sse') ? 'sse' : 'websocket',
        markets,
        terms,
        start: this.#start(),
      }),
      isResumed: this.#position !== null,
    };
  }

  #start(): StreamStart {
    if (this.#position === null) return { from: 'time', since: this.since ?? NOON };
    const progress = readStreamPosition(this.#position);
    if (progress === null) throw new Error(`not a position: ${this.#position}`);
    return { from: 'progress', progress };
  }

  async #receiveBatch(connection: Connection, sink: BatchSink): Promise<void> {
    const { end } = await sink.ended;
    const position = streamToken(connection.stream.figures.position);
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.stream.closed('complete');
    if (end !== 'complete') return this.#refused(typeof end === 'string' ? end : end.refused);
    const messages = sink.messages.map((one) => received(`${one.start}${one.content.text.toString()}`));
    connection.checked.checkBatch(messages, position);
    for (const message of messages) this.#apply(message);
    this.#moveTo(position);
  }

  #refused(why: string): void {
    if (why === 'position_expired') this.#startAgain();
    else if (why !== 'unavailable') throw new Error(`refused: ${why}`);
  }

  #apply({ type, position, json }: ReceivedMessage): void {
    this.#moveTo(position);
    const { id, scored_at, item, problem } = JSON.parse(json) as Readonly<Record<string, string>> & {
      readonly item?: { readonly news_event: { readonly id: string } };
      readonly problem?: { readonly code: string };
    };
    if (type === 'retraction') this.held.delete(String(id));
    // The text of the item, as it was sent: it is the last member.
    const text = json.slice(json.indexOf('"item":') + '"item":'.length, -1);
    if (type === 'item' && item !== undefined)
      this.held.set(item.news_event.id, heldItem(String(scored_at), text));
    if (type === 'heartbeat') this.#heartbeat = position;
    if (type === 'closing') this.#refused(problem?.code ?? 'nothing');
  }
}
