import { constants, deflateRawSync } from 'node:zlib';
import type { ListedItem } from '../../../application/ports/feed/feed-store.js';
import { type FeedItem, withSubMarkets } from '../../../domain/feed/feed-item.js';
import type { Shown } from '../../../domain/feed/stream-filter.js';

/** A fresh context for each content, because readers may join at any message (T25). */
const SYNC = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/** The JSON of a message after its position, with the end of the object. Compressed once for all streams that send it. */
export class Content {
  readonly text: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: Buffer) {
    this.text = text;
  }

  /** Raw deflate blocks that end at a byte boundary, so that others can follow. */
  get deflated(): Buffer {
    this.#deflated ??= deflateRawSync(this.text, SYNC);
    return this.#deflated;
  }

  get bytes(): number {
    return this.text.length + (this.#deflated?.length ?? 0);
  }
}

const known = new WeakMap<ListedItem, Map<string, Content>>();

/** The content of the message of an item. The same object for the same item object, shown in the same way. */
export function itemContent(item: ListedItem, shown: Shown): Content {
  const contents = known.get(item) ?? new Map<string, Content>();
  known.set(item, contents);
  const name = shown === 'whole' ? '' : JSON.stringify(shown);
  const found = contents.get(name) ?? new Content(itemText(item, shown));
  contents.set(name, found);
  return found;
}

function itemText({ scoredAt, json }: ListedItem, shown: Shown): Buffer {
  const start = Buffer.from(`,"scored_at":"${scoredAt}","item":`);
  return Buffer.concat([start, shown === 'whole' ? json : narrowed(json, shown), Buffer.from('}')]);
}

const narrowed = (json: Buffer, shown: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify(withSubMarkets(JSON.parse(json.toString('utf8')) as FeedItem, shown)));

/** The content of any other message: its members beside `type` and `position`. */
export const contentOf = (members: object): Content => {
  const text = JSON.stringify(members);
  return new Content(Buffer.from(text === '{}' ? '}' : `,${text.slice(1)}`));
};
