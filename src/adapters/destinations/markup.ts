/** HTML or XML. Only `markup` makes it, so that a text cannot get into it without being escaped. */
export class Markup {
  readonly #source: string;

  constructor(strings: readonly string[], values: readonly MarkupValue[]) {
    this.#source = strings.map((text, i) => `${text}${sourceOf(values[i] ?? '')}`).join('');
  }

  toString(): string {
    return this.#source;
  }
}

type MarkupValue = string | Markup | readonly Markup[];

/** A template whose texts are escaped: for content, and for attributes in double quotes. */
export const markup = (strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup =>
  new Markup(strings, values);

const sourceOf = (value: MarkupValue): string =>
  typeof value === 'string' ? escaped(value) : value instanceof Markup ? value.toString() : value.join('');

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? '');
