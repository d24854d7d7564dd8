import { fromEpochMillis, type Moment } from '../../domain/moment.js';

/** Something is not as the processor writes it: where, and what would be right. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
}

/** Ids and names are printable, whoever sends them: no store or log has to fear them. */
const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

/** An object of somebody else's, read part by part; what is not as it must be says so with its path. */
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
    return value ?? this.#wrong(member, 'a name');
  }

  nameOrNull(member: string): string | null {
    const value = this.#value[member] ?? null;
    if (value === null || (typeof value === 'string' && PRINTABLE.test(value))) return value;
    return this.#wrong(member, 'a name');
  }

  /** Any text, for what others choose freely; null where there is none. */
  textOrNull(member: string): string | null {
    const value = this.#value[member];
    return typeof value === 'string' ? value : null;
  }

  /** The id of something that may stand there whole. */
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

  /** Seconds since 1970, as a moment. */
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

  #wrong(member: string, right: string): never {
    throw new ParseError(`${this.#at(member)} is not ${right}`);
  }
}
