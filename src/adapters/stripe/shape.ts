import { fromEpochMillis, type Moment } from '../../domain/moment.js';

/** Something is not as the processor writes it: where, and what would be right. */
export class Misshapen extends Error {
  override readonly name = 'Misshapen';
}

/** Ids and names are printable, whoever sends them: no store or log has to fear them. */
const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

/** An object of somebody else's, read part by part; what is not as it must be says so with its path. */
export class Shape {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Misshapen(`${path === '' ? 'the body' : path} is not an object`);
    }
    this.#value = value as Readonly<Record<string, unknown>>;
    this.#path = path;
  }

  /** An identifier or a name. */
  name(part: string): string {
    const value = this.nameOrNull(part);
    return value ?? this.#wrong(part, 'a name');
  }

  nameOrNull(part: string): string | null {
    const value = this.#value[part] ?? null;
    if (value === null || (typeof value === 'string' && PRINTABLE.test(value))) return value;
    return this.#wrong(part, 'a name');
  }

  /** Any text, for what others choose freely; null where there is none. */
  textOrNull(part: string): string | null {
    const value = this.#value[part];
    return typeof value === 'string' ? value : null;
  }

  /** The id of something that may stand there whole. */
  idOrNull(part: string): string | null {
    const value = this.#value[part] ?? null;
    return typeof value === 'object' && value !== null ? this.inner(part).name('id') : this.nameOrNull(part);
  }

  whole(part: string): number {
    const value = this.#value[part];
    return Number.isSafeInteger(value) ? (value as number) : this.#wrong(part, 'a whole number');
  }

  /** Seconds since 1970, as a moment. */
  moment(part: string): Moment {
    return fromEpochMillis(this.whole(part) * 1_000);
  }

  momentOrNull(part: string): Moment | null {
    return (this.#value[part] ?? null) === null ? null : this.moment(part);
  }

  has(part: string): boolean {
    return typeof this.#value[part] === 'object' && this.#value[part] !== null;
  }

  inner(part: string): Shape {
    return new Shape(this.#value[part], this.#at(part));
  }

  each(part: string): readonly Shape[] {
    const list = this.#value[part];
    if (!Array.isArray(list)) return this.#wrong(part, 'a list');
    return list.map((value, i) => new Shape(value, `${this.#at(part)}[${i}]`));
  }

  #at(part: string): string {
    return this.#path === '' ? part : `${this.#path}.${part}`;
  }

  #wrong(part: string, right: string): never {
    throw new Misshapen(`${this.#at(part)} is not ${right}`);
  }
}
