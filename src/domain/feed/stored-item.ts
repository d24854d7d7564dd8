import type { FeedItem } from './feed-item.js';

/** The JSON of an item. Another version may have stored it, so every part is optional. */
export type Stored<T> = T extends readonly (infer Element)[]
  ? readonly Stored<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Stored<T[Key]> }
    : T;

export type StoredItem = Stored<FeedItem>;
