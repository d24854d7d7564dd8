import { fromEpochMillis, type Moment } from '../../domain/moment.js';

/** A value that does not have the form that the processor documents: its path, and what was expected. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

/** Ids and names must be printable ASCII, so that every store and log accepts them. */
const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The last second of the year 9999: moments have years of four digits. */
const LAST_SECOND = 253_402_300_799;

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LAST_SECOND;

/** Reads members of a JSON object from outside. A wrong value throws `ParseError` with its path. */
export class JsonReader {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    if (!isObject(value)) throw new ParseError(`${path === '' ? 'the body' : path} is not an object`);
    this.#value = value;
    this.#path = path;
  }

  /** An identifier or a name. */
  name(member: string): string {
    const value = this.nameOrNull(member);
    return value ?? this.#wrong(member, 'a text of 1 to 255 printable ASCII characters');
  }

  nameOrNull(member: string): string | null {
    const value = this.#value[member] ?? null;
    if (value === null || (typeof value === 'string' && PRINTABLE.test(value))) return value;
    return this.#wrong(member, 'a text of 1 to 255 printable ASCII characters');
  }

  /** Any text, without restrictions; null if the member is not a text. */
  textOrNull(member: string): string | null {
    const value = this.#value[member];
    return typeof value === 'string' ? value : null;
  }

  /** The id of an object, given as an id or as the whole object. */
  idOrNull(member: string): string | null {
    const value = this.#value[member] ?? null;
    return typeof value === 'object' && value !== null
      ? this.inner(member).name('id')
      : this.nameOrNull(member);
  }

  whole(member: string): number {
    const value = this.#value[member];
    return Number.isSafeInteger(value) ? (value as number) : this.#wrong(member, 'a whole number');
  }

  /** Reads seconds since 1970. */
  moment(member: string): Moment {
    const seconds = this.whole(member);
    return isTime(seconds)
      ? fromEpochMillis(seconds * 1_000)
      : this.#wrong(member, 'a time in seconds since 1970');
  }

  momentOrNull(member: string): Moment | null {
    return (this.#value[member] ?? null) === null ? null : this.moment(member);
  }

  /** Seconds since 1970, where a wrong value counts as none. */
  readableMoment(member: string): Moment | null {
    const value = this.#value[member];
    return isTime(value) ? this.moment(member) : null;
  }

  has(member: string): boolean {
    return typeof this.#value[member] === 'object' && this.#value[member] !== null;
  }

  inner(member: string): JsonReader {
    return new JsonReader(this.#value[member], this.#at(member));
  }

  /** Null if the member is no object. */
  innerOrNull(member: string): JsonReader | null {
    const value = this.#value[member];
    return isObject(value) ? new JsonReader(value, this.#at(member)) : null;
  }

  /** The objects in a list; none if the member is no list. */
  objectsIn(member: string): readonly JsonReader[] {
    const list = this.#value[member];
    if (!Array.isArray(list)) return [];
    return list.flatMap((value, i) =>
      isObject(value) ? [new JsonReader(value, `${this.#at(member)}[${i}]`)] : [],
    );
  }

  #at(member: string): string {
    return this.#path === '' ? member : `${this.#path}.${member}`;
  }

  #wrong(member: string, expected: string): never {
    throw new ParseError(`${this.#at(member)} is not ${expected}`);
  }
}
