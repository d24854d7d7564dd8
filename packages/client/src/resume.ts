import type { FeedMessage } from './messages.js';
import { type FollowQuery, type HistoryQuery, queryText } from './query.js';

/** Where the next connection begins, and how often the last ones failed. */
export class Resume {
  /** What the user asked for. */
  readonly query: FollowQuery | HistoryQuery;
  #position: string | undefined;
  #failures = 0;
  #wasLive = false;

  constructor(query: FollowQuery | HistoryQuery) {
    this.query = query;
    this.#position = query.after;
  }

  /** Undefined until the first message, if the user gave none. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Failures since the last message. */
  get failures(): number {
    return this.#failures;
  }

  get wasLive(): boolean {
    return this.#wasLive;
  }

  /** Notes a message that the user gets now. `ready` alone is no success: the next message can be the damaged one. */
  note({ type, position }: Pick<FeedMessage, 'type' | 'position'>): void {
    this.#position = position;
    if (type !== 'ready') this.#failures = 0;
    if (type === 'live') this.#wasLive = true;
  }

  /** The position of a message that the user does not get. */
  moveTo(position: string): void {
    this.#position = position;
  }

  noteFailure(): void {
    this.#failures += 1;
  }

  /** The query of the next connection: after the position, or else as the user asked. */
  queryText(more: { readonly limit?: number; readonly wait?: number } = {}): string {
    const { after: _, since, ...filters } = this.query;
    const start = this.#position === undefined ? { since } : { after: this.#position };
    return queryText({ ...start, ...filters, ...more });
  }
}
