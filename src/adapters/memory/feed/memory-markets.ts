import type {
  FoundMarket,
  FoundMarkets,
  MarketDirectory,
  MarketReading,
} from '../../../application/ports/feed/market-directory.js';
import type {
  Generation,
  MarketProjection,
  ProjectedItem,
  ProjectionStep,
} from '../../../application/ports/feed/market-projection.js';
import { NotNow } from '../../../application/unavailable.js';
import { marketKey } from '../../../domain/feed/markets/market-facts.js';
import { comparePlaces, passesMarketFilter, placeOf } from '../../../domain/feed/markets/market-query.js';
import {
  keysOfMarket,
  type ReferenceKey,
  referenceKeys,
} from '../../../domain/feed/markets/market-references.js';
import { type MarketMention, type MarketRow, marketRowOf } from '../../../domain/feed/markets/market-row.js';
import { type Position, samePosition } from '../../../domain/feed/position.js';
import { FIRST_MOMENT } from '../../../domain/moment.js';

/** The rows of a generation. */
class Rows {
  readonly #items = new Map<string, ProjectedItem>();
  /** By market, the mentions by the ids of their items. */
  readonly #mentions = new Map<string, Map<string, MarketMention>>();
  readonly #rows = new Map<string, MarketRow>();
  /** The markets that have a key. */
  readonly #byKey = new Map<ReferenceKey, Set<string>>();

  apply({ removed, items }: Pick<ProjectionStep, 'removed' | 'items'>): void {
    const changed = new Set<string>();
    for (const id of [...removed, ...items.map((item) => item.id)]) this.#remove(id, changed);
    for (const item of items) this.#add(item, changed);
    for (const key of changed) this.#compute(key);
  }

  all(): readonly MarketRow[] {
    return [...this.#rows.values()];
  }

  /** The markets that a reference matches. */
  matching(reference: string): ReadonlySet<string> {
    for (const keys of referenceKeys(reference)) {
      const found = keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]);
      if (found.length > 0) return new Set(found);
    }
    return new Set();
  }

  #remove(id: string, changed: Set<string>): void {
    for (const market of this.#items.get(id)?.markets ?? []) {
      this.#mentions.get(marketKey(market))?.delete(id);
      changed.add(marketKey(market));
    }
    this.#items.delete(id);
  }

  #add(item: ProjectedItem, changed: Set<string>): void {
    this.#items.set(item.id, item);
    for (const facts of item.markets) {
      const key = marketKey(facts);
      const mentions = this.#mentions.get(key) ?? new Map<string, MarketMention>();
      mentions.set(item.id, { facts, scoredAt: item.scoredAt });
      this.#mentions.set(key, mentions);
      changed.add(key);
    }
  }

  #compute(key: string): void {
    const before = this.#rows.get(key);
    for (const each of before === undefined ? [] : keysOfMarket(before.facts)) {
      const markets = this.#byKey.get(each);
      markets?.delete(key);
      if (markets?.size === 0) this.#byKey.delete(each);
    }
    const row = marketRowOf([...(this.#mentions.get(key)?.values() ?? [])]);
    if (row === null) {
      this.#rows.delete(key);
      this.#mentions.delete(key);
      return;
    }
    this.#rows.set(key, row);
    for (const each of keysOfMarket(row.facts))
      this.#byKey.set(each, (this.#byKey.get(each) ?? new Set()).add(key));
  }
}

type Kept = { readonly generation: Generation; readonly rows: Rows };

/** The directory of markets in one process. */
export class MemoryMarkets implements MarketDirectory, MarketProjection {
  #kept: readonly Kept[] = [];
  #begun = 0;

  /** `start`: the position of an empty feed. Without it, the directory is unavailable until a generation was built. */
  constructor(start: Position | null = null) {
    if (start === null) return;
    const generation = { id: 0, position: start, walkedTo: null, isServed: true };
    this.#kept = [{ generation, rows: new Rows() }];
  }

  async find(reading: MarketReading): Promise<FoundMarkets> {
    const served = this.#kept.find(({ generation }) => generation.isServed);
    if (served === undefined) throw new NotNow('the directory of markets', undefined, 'is being built');
    const { sort, after, count, references } = reading;
    const matching = [...new Set(references)].map((text) => [text, served.rows.matching(text)] as const);
    const referencesOf = ({ facts }: MarketRow) =>
      matching.filter(([, markets]) => markets.has(marketKey(facts))).map(([text]) => text);
    const markets = served.rows
      .all()
      .filter((row) => passesMarketFilter(reading, row))
      .filter((row) => after === null || comparePlaces(sort, placeOf(row), after) > 0)
      .map((row): FoundMarket => ({ row, references: referencesOf(row) }))
      .filter((found) => references.length === 0 || found.references.length > 0)
      .sort((a, b) => comparePlaces(sort, placeOf(a.row), placeOf(b.row)))
      .slice(0, count);
    return { markets, unknown: matching.filter(([, found]) => found.size === 0).map(([text]) => text) };
  }

  async generations(): Promise<readonly Generation[]> {
    return this.#kept.map(({ generation }) => generation);
  }

  async begin(position: Position): Promise<void> {
    this.#begun += 1;
    const generation = { id: this.#begun, position, walkedTo: FIRST_MOMENT, isServed: false };
    this.#kept = [...this.#kept.filter((kept) => kept.generation.isServed), { generation, rows: new Rows() }];
  }

  async apply({ from, to, removed, items }: ProjectionStep): Promise<boolean> {
    const kept = this.#kept.find(({ generation }) => isSame(generation, from));
    if (kept === undefined) return false;
    kept.rows.apply({ removed, items });
    const changed = { ...kept, generation: to };
    const others = this.#kept.filter((each) => each !== kept);
    this.#kept = to.isServed && !from.isServed ? [changed] : [...others, changed];
    return true;
  }

  /** Ended generations are not kept. */
  async deleteEnded(): Promise<boolean> {
    return false;
  }
}

const isSame = (one: Generation, other: Generation): boolean =>
  one.id === other.id &&
  one.walkedTo === other.walkedTo &&
  one.isServed === other.isServed &&
  samePosition(one.position, other.position);
