import { constants, deflateRawSync } from 'node:zlib';
import type { ListedItem } from '../../../application/ports/feed/feed-store.js';
import { type FeedItem, withSubMarkets } from '../../../domain/feed/feed-item.js';
import type { Shown } from '../../../domain/feed/stream-filter.js';
import type { Moment } from '../../../domain/moment.js';
import { keptBytes } from './kept-bytes.js';
import { stored } from './stored-block.js';

/** Such a short text hardly gets shorter. A compressor costs a twentieth of the opening of a stream, for its `ready` alone. */
const STORED_MAX = 200;
/** An empty block, with which a flush ends. */
const FLUSH = stored(Buffer.alloc(0));
/** A fresh context for each content, because readers may join at any message (T25). */
const SYNC = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/** The JSON of a message after its position, with the end of the object. Compressed once for all streams that send it. */
export class Content {
  readonly text: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: Buffer) {
    this.text = text;
  }

  /** Raw deflate blocks that end with the marker of a flush (00 00 FF FF) at a byte boundary, so that others can follow. */
  get deflated(): Buffer {
    this.#deflated ??=
      this.text.length <= STORED_MAX
        ? keptBytes([stored(this.text), FLUSH])
        : keptBytes([deflateRawSync(this.text, SYNC)]);
    return this.#deflated;
  }

  get bytes(): number {
    return this.text.length + (this.#deflated?.length ?? 0);
  }
}

const known = new WeakMap<ListedItem, Map<string, Content>>();

/** The content of the message of an item. The same object for the same item object, shown in the same way. */
export function itemContent(item: ListedItem, shown: Shown, knownAt: Moment | null): Content {
  const contents = known.get(item) ?? new Map<string, Content>();
  known.set(item, contents);
  const name = shown === 'whole' ? '' : JSON.stringify(shown);
  const found = contents.get(name) ?? new Content(itemText(item, shown, knownAt));
  contents.set(name, found);
  return found;
}

function itemText({ scoredAt, json }: ListedItem, shown: Shown, knownAt: Moment | null): Buffer {
  const times = JSON.stringify({ known_at: knownAt, scored_at: scoredAt }).slice(1, -1);
  const start = Buffer.from(`,${times},"item":`);
  return keptBytes([start, shown === 'whole' ? json : narrowed(json, shown), Buffer.from('}')]);
}

const narrowed = (json: Buffer, shown: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify(withSubMarkets(JSON.parse(json.toString('utf8')) as FeedItem, shown)));

/** The content of any other message: its members beside `type` and `position`. */
export const contentOf = (members: object): Content => {
  const text = JSON.stringify(members);
  return new Content(keptBytes([Buffer.from(text === '{}' ? '}' : `,${text.slice(1)}`)]));
};
