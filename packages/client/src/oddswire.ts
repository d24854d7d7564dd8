import type { FeedPage, MarketPage, OwnKey, Status, Usage } from './api.js';
import { checkQuery, MARKETS, PAGE } from './check-query.js';
import { invalidResponse } from './errors.js';
import { followFeed } from './follow.js';
import type { History } from './history.js';
import { HistoryReader } from './history-reader.js';
import { AS_OF } from './honoured.js';
import { isObject } from './json.js';
import { MarketWalk } from './market-walk.js';
import type { FeedMessage } from './messages.js';
import type { FollowOptions, HistoryOptions, Options, RequestOptions } from './options.js';
import { type MarketsQuery, type PageQuery, queryText } from './query.js';
import { Transport } from './transport.js';
import { type Page, Walk } from './walk.js';

/** The largest page. */
const WALK_LIMIT = 500;

/** Client of one service with one key. Every method rejects with an `OddswireError`, or with the reason of its signal. */
export class Oddswire {
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = new Transport(options);
  }

  /** Reads one page. */
  async page(query: PageQuery = {}, options: RequestOptions = {}): Promise<Page> {
    checkQuery(query, PAGE);
    const path = `/pm/v2/news?${queryText(query)}`;
    const { body, headers } = await this.#transport.json(path, isPage<FeedPage>('items'), {
      ...options,
      query,
    });
    const position = headers.get('Feed-Position');
    if (position === null) throw invalidResponse('The response has no header Feed-Position.');
    return { ...body, position, head: headers.get('Feed-Head'), as_of: headers.get(AS_OF) };
  }

  /** Reads all pages: `for await (const item of client.walk()) …`. Its `position` is where to follow. */
  walk(query: PageQuery = {}, options: RequestOptions = {}): Walk {
    return new Walk((cursor = query.cursor, as_of = query.as_of) =>
      this.page({ limit: WALK_LIMIT, ...query, cursor, as_of }, options),
    );
  }

  /**
   * Yields each publication, replacement and retraction as it happens, until you leave the loop or abort the signal. It
   * reconnects by itself and misses nothing. Without `after` and `since` it begins now. It rejects with
   * `position_expired` if the changes after the position are gone: then walk again.
   */
  follow(options: FollowOptions = {}): AsyncGenerator<FeedMessage, void> {
    return followFeed(this.#transport, options);
  }

  /**
   * Yields every change of the past, oldest first, with the version that it brought: up to `until`, or else up to now. It
   * continues by itself. Its `position` is where a later history, or `follow`, continues.
   */
  history(options: HistoryOptions = {}): History {
    return new HistoryReader(this.#transport, options);
  }

  /** Reads one page of the directory of markets. With `ref` it finds markets, and `unknown` lists the references that none has. */
  async markets(query: MarketsQuery = {}, options: RequestOptions = {}): Promise<MarketPage> {
    checkQuery(query, MARKETS);
    const path = `/pm/v2/markets?${queryText(query)}`;
    return (await this.#transport.json(path, isPage<MarketPage>('markets'), options)).body;
  }

  /** Reads all pages of the directory, in the order of the ids: `for await (const market of client.walkMarkets()) …`. */
  walkMarkets(query: MarketsQuery = {}, options: RequestOptions = {}): MarketWalk {
    return new MarketWalk((cursor = query.cursor) =>
      this.markets({ limit: WALK_LIMIT, sort: 'id', ...query, cursor }, options),
    );
  }

  /** The plan and the limits of the key. Costs no request. */
  async usage(options: RequestOptions = {}): Promise<Usage> {
    return (await this.#transport.json('/pm/v2/usage', has<Usage>('limits'), options)).body;
  }

  /** What the owner has set for the key: its expiry, allowed addresses and limits. Costs no request. */
  async key(options: RequestOptions = {}): Promise<OwnKey> {
    return (await this.#transport.json('/pm/v2/key', has<OwnKey>('key_id'), options)).body;
  }

  /** The state of the service. Sends no key. */
  async status(options: RequestOptions = {}): Promise<Status> {
    return (await this.#transport.json('/status', has<Status>('feed'), { ...options, isPublic: true })).body;
  }
}

/** Whether the value is an object of the service: it has this member. */
const has =
  <Body extends object>(name: keyof Body) =>
  (value: unknown): value is Body =>
    isObject(value) && name in value;

/** A page without `next_cursor` is incomplete: it must not look like the last one (contract section 2.1). */
const isPage =
  <Body extends { readonly next_cursor: string | null }>(list: keyof Body) =>
  (value: unknown): value is Body =>
    has<Body>(list)(value) &&
    Array.isArray(value[list]) &&
    (value.next_cursor === null || typeof value.next_cursor === 'string');
