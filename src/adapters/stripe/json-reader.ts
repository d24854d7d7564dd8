import { fromEpochMillis, type Moment } from '../../domain/moment.js';

/** A value that does not have the form that the processor documents: its path, and what was expected. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

/** Ids and names must be printable ASCII, so that every store and log accepts them. */
const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

/** Reads members of a JSON object from outside. A wrong value throws `ParseError` with its path. */
export class JsonReader {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ParseError(`${path === '' ? 'the body' : path} is not an object`);
    }
    this.#value = value as Readonly<Record<string, unknown>>;
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
    return fromEpochMillis(this.whole(member) * 1_000);
  }

  momentOrNull(member: string): Moment | null {
    return (this.#value[member] ?? null) === null ? null : this.moment(member);
  }

  has(member: string): boolean {
    return typeof this.#value[member] === 'object' && this.#value[member] !== null;
  }

  inner(member: string): JsonReader {
    return new JsonReader(this.#value[member], this.#at(member));
  }

  each(member: string): readonly JsonReader[] {
    const list = this.#value[member];
    if (!Array.isArray(list)) return this.#wrong(member, 'a list');
    return list.map((value, i) => new JsonReader(value, `${this.#at(member)}[${i}]`));
  }

  #at(member: string): string {
    return this.#path === '' ? member : `${this.#path}.${member}`;
  }

  #wrong(member: string, expected: string): never {
    throw new ParseError(`${this.#at(member)} is not ${expected}`);
  }
}
