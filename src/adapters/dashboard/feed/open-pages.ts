import { setTimeout as pause } from 'node:timers/promises';
import type { Collected, FeedBatches } from '../../../application/ports/destinations/feed-batches.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { lacksTooMuch, OPEN_PAGES_MAX, PAGES_PER_ACCOUNT } from '../../../domain/feed/open-pages.js';
import { type Position, positionToken } from '../../../domain/feed/position.js';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { StreamFigures } from '../state.js';

/** How often a page gets what is new. It is looked for in the memory of this process. */
const TICK_MS = 500;
/** In so many ticks the session is read again, and the browser gets a heartbeat. */
const CHECK_TICKS = 20;
const RETRY_MS = 1_000;
const BATCH = { messages: 50, bytes: 1_000_000 } as const;

/** Why a page gets no more changes. `behind`: it must be loaded anew. */
export type PageEnd = 'behind' | 'replaced' | 'signed_out';

export type OpenPageParts = {
  readonly feedBatches: Pick<FeedBatches, 'newest' | 'isValid' | 'collect'>;
  readonly isDraining: () => boolean;
};

export type PageRequest = {
  readonly account: AccountId;
  readonly from: Position;
  readonly filter: StreamFilter;
  /** Whether the session still reads the feed. */
  readonly isAllowed: () => Promise<boolean>;
  /** The event of a message, as streams send it (D49). */
  readonly eventOf: (message: string) => string;
};

type OpenPage = {
  readonly account: AccountId;
  isReplaced: boolean;
  position: Position;
  items: number;
  bytes: number;
  reason: PageEnd | null;
};

export type PageEvents = {
  readonly events: AsyncGenerator<string>;
  /** The browser is gone, also before it has read anything. */
  readonly close: () => void;
  readonly figures: () => StreamFigures;
};

/**
 * The pages of this process that get the changes of the feed, as Server-Sent Events: from the same changes, messages and filters
 * as streams (D123). After a lost connection the browser sends its position, and no change is missed.
 */
export class OpenPages {
  readonly #parts: OpenPageParts;
  readonly #tickMs: number;
  readonly #open = new Set<OpenPage>();

  /** Tests shorten the tick. */
  constructor(parts: OpenPageParts, tickMs = TICK_MS) {
    this.#parts = parts;
    this.#tickMs = tickMs;
  }

  /** The events of a page. Null beyond the pages of this process. */
  open(request: PageRequest): PageEvents | null {
    if (this.#open.size >= OPEN_PAGES_MAX) return null;
    const { account, from: position } = request;
    const page: OpenPage = { account, position, isReplaced: false, items: 0, bytes: 0, reason: null };
    this.#open.add(page);
    const own = [...this.#open].filter((other) => other.account === account);
    for (const older of own.slice(0, -PAGES_PER_ACCOUNT)) {
      older.isReplaced = true;
      this.#open.delete(older);
    }
    const figures = () => {
      const { items, bytes, reason } = page;
      return { form: 'sse' as const, items, bytes, position: positionToken(page.position), reason };
    };
    return { events: this.#events(request, page), close: () => this.#open.delete(page), figures };
  }

  async *#events(request: PageRequest, page: OpenPage): AsyncGenerator<string> {
    try {
      yield `retry: ${RETRY_MS}\n\n`;
      for (let tick = 1; page.reason === null && !this.#parts.isDraining(); tick += 1) {
        const found = await this.#next(request, page, tick);
        if (found === null) await pause(this.#tickMs);
        else yield found;
      }
    } finally {
      this.#open.delete(page);
    }
  }

  /** The next events; null if there are none. */
  async #next(request: PageRequest, page: OpenPage, tick: number): Promise<string | null> {
    const isCheck = tick % CHECK_TICKS === 0;
    const found = await this.#found(request, page, isCheck);
    if (typeof found === 'string') {
      page.reason = found;
      return event('closing', found);
    }
    const events = found === null ? '' : this.#eventsOf(found, request, page);
    return events !== '' || isCheck ? events + event('heartbeat', '.', positionToken(page.position)) : null;
  }

  /** Without positions: that of the batch follows, so a page whose connection is cut before it gets the batch again. */
  #eventsOf({ messages, until }: Collected, { eventOf }: PageRequest, page: OpenPage): string {
    const events = messages.map((message) => eventOf(message.toString('utf8'))).join('');
    page.position = until;
    page.items += messages.length;
    page.bytes += events.length;
    return events;
  }

  /** Null while the feed or the session cannot be read. */
  async #found(
    { isAllowed, filter }: PageRequest,
    page: OpenPage,
    isCheck: boolean,
  ): Promise<Collected | PageEnd | null> {
    const { feedBatches } = this.#parts;
    const { position } = page;
    try {
      if (page.isReplaced) return 'replaced';
      if (isCheck && !(await isAllowed())) return 'signed_out';
      if (lacksTooMuch(position, feedBatches.newest())) return 'behind';
      if (!(await feedBatches.isValid(position))) return 'behind';
      const found = await feedBatches.collect(filter, position, BATCH);
      return found === 'gone' ? 'behind' : found;
    } catch (fault) {
      if (fault instanceof Unavailable) return null;
      throw fault;
    }
  }
}

export const event = (name: string, data: string, id: string | null = null): string =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;
