import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { ListedItem } from '../../../application/ports/feed/feed-store.js';
import { storedItemOf, type Term, termsOf } from '../../../domain/feed/filters/item-terms.js';
import { type FoundMarket, foundMarketsOf } from '../../../domain/feed/filters/market-filter.js';
import { type Position, type PositionToken, positionToken } from '../../../domain/feed/position.js';
import {
  type ItemReading,
  type ShownChange,
  type StreamFilter,
  sentOf,
} from '../../../domain/feed/stream-filter.js';
import { type Content, contentOf, itemContent } from '../messages/content.js';
import { Message, type MessageType, type WireForm } from '../messages/message.js';

/** What an entry takes besides its item and its messages: objects, an id, and its place in lists. */
const ENTRY_BYTES = 400;
const MESSAGE_BYTES = 300;
/** What a text takes besides its characters, in a list or in a set. */
const TEXT_BYTES = 64;

/** A change that streams can send, without its position. Its item may be dropped. */
type Shown = (ShownChange<ListedItem> & Pick<FeedChange, 'knownAt'>) | null;

/** A change of the feed with its messages, which are made once for all streams that send them. */
export class ChangeEntry {
  readonly n: number;
  readonly position: Position;
  /** When this process got the change, in milliseconds of the monotonic clock. */
  readonly at: number;
  /** The id of the changed item; null for a change of no item. */
  readonly id: string | null;
  #change: StoredChange;
  #shown: Shown;
  /** By the form of the item; '' for the retraction. */
  readonly #messages = new Map<string, Message>();
  #terms: ReadonlySet<Term> | null = null;
  #markets: readonly FoundMarket[] | null = null;
  readonly #reading: ItemReading = { terms: () => this.terms, markets: () => this.#foundMarkets() };
  #bytes: number;
  #onGrowth: (bytes: number) => void = () => {};

  constructor(change: StoredChange, at: number) {
    // A copy, because contents are kept for as long as the object of their item, and others may keep that object.
    this.#change =
      'item' in change && change.item !== null ? { ...change, item: { ...change.item } } : change;
    this.#shown = shownOf(this.#change);
    this.n = change.position.n;
    this.position = change.position;
    this.at = at;
    this.id = 'id' in change ? change.id : null;
    this.#bytes = ENTRY_BYTES + bytesOfShown(this.#shown);
  }

  /** The change. Its item is null after `supersede`. */
  get change(): StoredChange {
    return this.#change;
  }

  /** Whether a later change has replaced or retracted its item, so that streams send only that one (D50). */
  get isSuperseded(): boolean {
    return 'item' in this.#change && this.#change.item === null;
  }

  /** The terms of the item after the change, read once for all streams; none without an item. */
  get terms(): ReadonlySet<Term> {
    if (this.#terms === null) {
      const shown = this.#shown;
      this.#terms = shown === null || shown.kind === 'retracted' ? new Set() : termsOf(shown.item);
      this.#grow(bytesOfTexts(this.#terms));
    }
    return this.#terms;
  }

  /** The memory that the entry takes, with all frames made so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Calls `listener` with the number of bytes each time `bytes` changes; negative when it shrinks. */
  onGrowth(listener: (bytes: number) => void): void {
    this.#onGrowth = listener;
  }

  /** The message for streams with a filter (D49); null if they get none. The same object for the same text. */
  messageFor(filter: StreamFilter): Message | null {
    const shown = this.#shown;
    const sent = shown === null ? null : sentOf(filter, shown, this.#reading);
    if (shown === null || sent === null) return null;
    const { knownAt: known_at } = shown;
    if (sent.type === 'retraction')
      return this.#message('', 'retraction', () => contentOf({ known_at, id: shown.id }));
    if (shown.kind === 'retracted') return null;
    const { item } = shown;
    const name = sent.shown === 'whole' ? 'whole' : JSON.stringify(sent.shown);
    return this.#message(name, 'item', () => itemContent(item, sent.shown, known_at));
  }

  /** Drops the item, because a later change replaced or retracted it: streams send the later change only (D50). */
  supersede(): void {
    const change = this.#change;
    if (!('item' in change) || change.item === null) return;
    this.#change = { ...change, item: null };
    this.#shown = null;
    this.#terms = null;
    this.#markets = null;
    this.#messages.clear();
    this.#grow(ENTRY_BYTES - this.#bytes);
  }

  /** The markets of the item, read once for all streams that are narrowed to some of them. */
  #foundMarkets(): readonly FoundMarket[] {
    if (this.#markets === null) {
      const shown = this.#shown;
      this.#markets =
        shown === null || shown.kind === 'retracted' ? [] : foundMarketsOf(storedItemOf(shown.item));
      for (const { terms } of this.#markets) this.#grow(TEXT_BYTES + bytesOfTexts(terms));
    }
    return this.#markets;
  }

  #message(name: string, type: MessageType, content: () => Content): Message {
    const known = this.#messages.get(name);
    if (known !== undefined) return known;
    const message = new CountedMessage(type, positionToken(this.position), content(), (bytes) => {
      if (this.#messages.get(name) === message) this.#grow(bytes);
    });
    this.#messages.set(name, message);
    this.#grow(MESSAGE_BYTES + name.length + message.content.bytes);
    return message;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#onGrowth(bytes);
  }
}

/** A message that reports the memory of each frame when it is made. */
class CountedMessage extends Message {
  readonly #onGrowth: (bytes: number) => void;

  constructor(
    type: MessageType,
    position: PositionToken,
    content: Content,
    onGrowth: (bytes: number) => void,
  ) {
    super(type, position, content);
    this.#onGrowth = onGrowth;
  }

  protected override newFrame(form: WireForm): Buffer {
    const before = this.bytes + this.content.bytes;
    const frame = super.newFrame(form);
    this.#onGrowth(this.bytes + this.content.bytes - before);
    return frame;
  }
}

function shownOf(change: StoredChange): Shown {
  if (change.kind === 'start') return null;
  const { knownAt } = change;
  switch (change.kind) {
    case 'published':
    case 'replaced':
      return change.item === null ? null : { kind: change.kind, id: change.id, item: change.item, knownAt };
    case 'retracted':
      return { kind: 'retracted', id: change.id, knownAt };
    case 'raised':
      return null;
  }
}

const bytesOfShown = (shown: Shown): number =>
  shown === null || shown.kind === 'retracted'
    ? 0
    : shown.item.json.length + bytesOfTexts([shown.id, ...shown.item.subMarketIds]);

function bytesOfTexts(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += TEXT_BYTES + text.length;
  return bytes;
}
