import fc from 'fast-check';

/** Texts that a store, a URL or a log could handle wrongly. */
const HOSTILE = [
  '\0',
  'zero \0 character',
  '\ud83d',
  'half \udc00 a character',
  '\ufffd',
  '\u202e',
  '__proto__',
  'constructor',
  "' or 1=1 --",
  '%00',
  '%',
  'x'.repeat(15_000),
  '山'.repeat(300),
];

export const hostileTexts = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  // `binary` has no lone surrogates; these strings do.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
);

/** Percent-encodes a text. A lone surrogate becomes the three bytes that it would have in UTF-8. */
export const percentEncoded = (text: string): string =>
  [...text]
    .map((character) => {
      if (!/\p{Cs}/u.test(character)) return encodeURIComponent(character);
      const unit = character.charCodeAt(0);
      const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
      return bytes.map((byte) => `%${byte.toString(16)}`).join('');
    })
    .join('');

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
};
type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
};
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** One text field of one API call. The rest of the request is valid. */
export type TextLocation = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string | null;
  /** The request with this text in the field. `$ID` in the path stands for an existing id. */
  readonly request: (text: string) => { readonly path: string; readonly body?: string };
};

/** All text fields in path, query and body of every call in an OpenAPI document, new calls included. */
export const textLocations = (document: Document): readonly TextLocation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'post', 'delete'].flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation === undefined ? [] : locationsOf(document, path, method.toUpperCase(), operation);
    }),
  );

function locationsOf(
  document: Document,
  path: string,
  method: string,
  operation: Operation,
): readonly TextLocation[] {
  const known = path.replace('{id}', '$ID');
  const locationOf = (
    where: string,
    contentType: string | null,
    request: TextLocation['request'],
  ): TextLocation => ({
    name: `${method} ${path}: ${where}`,
    ...{ method, path: known, contentType, request },
  });
  const inPath = path.includes('{id}')
    ? [locationOf('id', null, (text) => ({ path: path.replace('{id}', percentEncoded(text)) }))]
    : [];
  const inQuery = [...(operation.parameters ?? []), { name: 'unknown', in: 'query' }]
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) =>
      locationOf(name, null, (text) => ({ path: `${known}?${name}=${percentEncoded(text)}` })),
    );
  // A further content type has the same schema: one field shows that it is read as well.
  const inBody = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { schema }], i) =>
    schema === undefined
      ? []
      : leavesOf(document, schema)
          .slice(0, i === 0 ? undefined : 1)
          .map((leaf) =>
            locationOf(`${leaf} in ${type}`, type, (text) => ({
              path: known,
              body: JSON.stringify(sample(document, schema, '', leaf, text)),
            })),
          ),
  );
  return [...inPath, ...inQuery, ...inBody];
}

const resolved = (document: Document, { $ref, oneOf, ...schema }: Schema): Schema => {
  if (oneOf?.[0] !== undefined) return resolved(document, oneOf[0]);
  const name = $ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(document, document.components.schemas[name] ?? {});
};

/** The JSON pointers of all texts in a schema. */
function leavesOf(document: Document, schema: Schema, at = ''): readonly string[] {
  const { type, properties, items } = resolved(document, schema);
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, inner]) => leavesOf(document, inner, `${at}/${name}`));
  }
  if (items !== undefined) return leavesOf(document, items, `${at}/0`);
  return [type].flat().includes('string') || resolved(document, schema).enum !== undefined ? [at] : [];
}

/** A valid value of a schema, except for the text at one JSON pointer. */
function sample(document: Document, schema: Schema, at: string, leaf: string, text: string): unknown {
  if (at === leaf) return text;
  const whole = resolved(document, schema);
  if (whole.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(whole.properties).map(([name, inner]) => [
        name,
        sample(document, inner, `${at}/${name}`, leaf, text),
      ]),
    );
  }
  if (whole.items !== undefined) return [sample(document, whole.items, `${at}/0`, leaf, text)];
  if (whole.enum !== undefined) return whole.enum[0];
  if ('const' in whole) return whole.const;
  return validText(whole);
}

let samples = 0;

function validText({ type, format, pattern }: Schema): unknown {
  samples += 1;
  const types = [type].flat();
  if (types.includes('boolean')) return true;
  if (!types.includes('string')) return types.includes('null') ? null : 1;
  if (format === 'email') return `sample-${samples}@hostile.example`;
  if (format === 'uri') return 'https://hostile.example/';
  if (format === 'moment') return '2026-03-01T12:00:00Z';
  if (pattern?.startsWith('^[A-Z]') === true) return 'YES';
  return pattern?.startsWith('^[a-z]') === true ? 'code' : `sample_${samples}`;
}
