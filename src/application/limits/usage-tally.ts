import type { KeyId } from '../../domain/keys/api-key.js';
import {
  NO_REQUESTS,
  retainedSince,
  STATUS_CLASSES,
  type StatusClass,
  statusClassOf,
  type UsageCount,
} from '../../domain/limits/usage.js';
import { HOUR, type Moment, plus, startOfHour } from '../../domain/moment.js';

/** The most pairs of a key and an hour in memory: about 15 MB. */
const KEY_HOURS_MAX = 100_000;

type Requests = Record<StatusClass, number>;

/**
 * Counts requests in memory, for the adapters of `UsageHistory`. `note` runs for every response, so it must be cheap:
 * one look-up and one addition, and an allocation only for the first request of a key in an hour.
 *
 * Drops hours that are older than usage is kept. Drops the oldest hour when the limit of pairs is reached.
 */
export class UsageTally {
  readonly #keyHoursMax: number;
  readonly #hours = new Map<Moment, Map<KeyId, Requests>>();
  #keyHours = 0;
  // The hour of the last count, and its end: the next request is nearly always in the same hour.
  #hour: Moment | '' = '';
  #end: Moment | '' = '';
  #keys = new Map<KeyId, Requests>();

  constructor(keyHoursMax: number = KEY_HOURS_MAX) {
    this.#keyHoursMax = keyHoursMax;
  }

  note(key: KeyId, status: number, at: Moment): void {
    this.#of(key, at)[statusClassOf(status)] += 1;
  }

  add({ key, hour, statusClass, requests }: UsageCount): void {
    this.#of(key, hour)[statusClass] += requests;
  }

  all(): readonly UsageCount[] {
    return [...this.#hours].flatMap(([hour, keys]) =>
      [...keys].flatMap(([key, requests]) => countsOf(key, hour, requests)),
    );
  }

  of(keys: readonly KeyId[], since: Moment): readonly UsageCount[] {
    const hours = [...this.#hours].filter(([hour]) => hour >= since);
    return hours.flatMap(([hour, counted]) =>
      [...new Set(keys)].flatMap((key) => countsOf(key, hour, counted.get(key))),
    );
  }

  /** Drops the counts of keys in hours that began until then, the oldest first. Returns the number of keys and hours. */
  drop(until: Moment, count: number): number {
    const past = [...this.#hours.keys()].filter((hour) => hour <= until).sort();
    const found = past.flatMap((hour) =>
      [...(this.#hours.get(hour)?.keys() ?? [])].map((key) => ({ hour, key })),
    );
    const dropped = found.slice(0, count);
    for (const { hour, key } of dropped) this.#hours.get(hour)?.delete(key);
    this.#keyHours -= dropped.length;
    for (const hour of past) if (this.#hours.get(hour)?.size === 0) this.#drop(hour);
    return dropped.length;
  }

  #of(key: KeyId, at: Moment): Requests {
    if (at < this.#hour || at >= this.#end) this.#startHour(startOfHour(at));
    return this.#keys.get(key) ?? this.#begin(key);
  }

  #startHour(hour: Moment): void {
    this.#hour = hour;
    this.#end = plus(hour, HOUR);
    const known = this.#hours.get(hour);
    this.#keys = known ?? new Map();
    if (known !== undefined) return;
    this.#hours.set(hour, this.#keys);
    for (const past of this.#hours.keys()) if (past < retainedSince(hour)) this.#drop(past);
  }

  #begin(key: KeyId): Requests {
    if (this.#keyHours >= this.#keyHoursMax) this.#drop([...this.#hours.keys()].sort()[0]);
    const requests = { ...NO_REQUESTS };
    this.#keys.set(key, requests);
    this.#keyHours += 1;
    return requests;
  }

  /**
   * Drops the counts of an hour. The hour of the last count keeps its map, now empty, because `#keys` is the same map.
   */
  #drop(hour: Moment | undefined): void {
    const keys = hour === undefined ? undefined : this.#hours.get(hour);
    if (hour === undefined || keys === undefined) return;
    this.#keyHours -= keys.size;
    keys.clear();
    if (hour !== this.#hour) this.#hours.delete(hour);
  }
}

const countsOf = (key: KeyId, hour: Moment, counted: Requests | undefined): readonly UsageCount[] =>
  STATUS_CLASSES.flatMap((statusClass) => {
    const requests = counted?.[statusClass] ?? 0;
    return requests === 0 ? [] : [{ key, hour, statusClass, requests }];
  });
