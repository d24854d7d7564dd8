import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { exampleItem } from '../../../src/adapters/http/openapi/examples/example-item.js';
import { internalDocument } from '../../../src/adapters/http/openapi/internal-document.js';
import { publicDocument } from '../../../src/adapters/http/openapi/public-document.js';
import {
  FORMAT_PATTERNS,
  PORTABLE_ID_PATTERN,
} from '../../../src/adapters/http/openapi/published-schemas.js';
import { schemas, schemasFor } from '../../../src/adapters/http/schema/components.js';
import { ID_PATTERN, type JsonSchema } from '../../../src/adapters/http/schema/json-schema.js';
import { readCodes, readQueryWords } from '../../../src/domain/feed/filters/filter-values.js';
import { positionToken } from '../../../src/domain/feed/position.js';
import { readStreamPosition, streamToken } from '../../../src/domain/feed/stream-position.js';
import { momentOf, parseMoment } from '../../../src/domain/moment.js';
import { closedDocument } from '../../support/service/conformance.js';

const SETTINGS = {
  version: '9.8.7',
  publicUrl: 'https://api.example.com',
  internalUrl: 'http://127.0.0.1:8081',
  isDemo: true,
};
const documents = {
  public: { document: publicDocument(SETTINGS), own: schemasFor('customer') },
  internal: { document: internalDocument(SETTINGS), own: schemasFor('operator') },
};

type Node = Readonly<Record<string, unknown>>;

/** Every object of a document, except in examples and in `not`. */
function nodesOf(node: unknown): readonly Node[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([name, child]) =>
    /^(?:examples?|not)$/.test(name) ? [] : nodesOf(child),
  );
  return [node as Node, ...inner];
}

/** The names of all schemas that a part of a document refers to. */
function namesIn(node: unknown, all: Node, found = new Set<string>()): ReadonlySet<string> {
  for (const { $ref } of nodesOf(node)) {
    const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
    if (name === '' || found.has(name)) continue;
    found.add(name);
    namesIn(all[name], all, found);
  }
  return found;
}

const isObject = ({ type, properties }: Node) => [type].flat().includes('object') && properties !== undefined;
const isClosed = (node: Node) => node['additionalProperties'] === false;

const hasOwnFormat = ({ format }: Node) => typeof format === 'string' && format in FORMAT_PATTERNS;

/** A schema without the keywords that only the published form has. */
function withoutDerived(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const { pattern, type, ...others } = node as Node;
  if (hasOwnFormat(others)) return { ...others, type };
  if (pattern === PORTABLE_ID_PATTERN) return { ...(node as Node), pattern: ID_PATTERN };
  return Array.isArray(others['enum']) ? { ...others, pattern } : node;
}

const validatorOf = (document: JsonSchema) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: document['components'] });
  return (name: string, value: unknown) =>
    ajv.validate({ $ref: `document#/components/schemas/${name}` }, value);
};

describe('The schemas of the service', () => {
  it('are closed: tests find each property that is not described', () => {
    const open = Object.entries(schemas).filter(([, schema]) =>
      nodesOf(schema).some((node) => isObject(node) && !isClosed(node)),
    );
    expect(open.map(([name]) => name)).to.deep.equal([]);
  });
});

for (const [listener, { document, own: schemasOf }] of Object.entries(documents)) {
  const components = (document['components'] as { readonly schemas: Node }).schemas;
  const operations = nodesOf(document['paths']).filter(({ operationId }) => operationId !== undefined);
  const inputs = operations.map(({ parameters, requestBody, 'x-websocket': webSocket }) => [
    ...[parameters, requestBody, (webSocket as Node | undefined)?.['receives']],
  ]);

  describe(`The schemas that the document of the ${listener} listener publishes`, () => {
    it('are closed for what the service reads, and open for what it sends', () => {
      const read = namesIn(inputs, components);
      const sent = namesIn(
        operations.map(({ responses }) => responses),
        components,
      );
      expect([...read].filter((name) => sent.has(name))).to.deep.equal([]);
      const [readNodes, sentNodes] = [read, sent].map((names) => [...names].map((name) => components[name]));
      for (const node of nodesOf([inputs, readNodes]))
        if (isObject(node)) expect(isClosed(node)).to.equal(true);
      for (const node of nodesOf(sentNodes)) {
        expect(node).not.to.have.any.keys('additionalProperties', 'enum');
      }
      expect(Object.keys(components)).to.have.members([...read, ...sent]);
    });

    it('are those of the service again when they are closed, but for patterns and the types of codes', () => {
      const compared = (schema: unknown) =>
        JSON.parse(JSON.stringify(schema), (_, node) => withoutDerived(node));
      for (const name of Object.keys(components)) {
        expect(compared(closedDocument(components[name])), name).to.deep.equal(compared(schemasOf[name]));
      }
    });

    it('have the pattern of each format that only this service knows, and examples match it', () => {
      const own = nodesOf(document).filter(hasOwnFormat);
      expect(own).to.have.length.above(3);
      for (const { format, pattern, examples = [] } of own) {
        expect(pattern).to.equal(FORMAT_PATTERNS[String(format)]);
        for (const example of examples as readonly string[])
          expect(example).to.match(new RegExp(String(pattern), 'u'));
      }
    });

    it('have no pattern that needs the flag u, which generated validators do not set', () => {
      const patterns = nodesOf(document).flatMap(({ pattern }) =>
        typeof pattern === 'string' ? [pattern] : [],
      );
      expect(patterns.length).to.be.above(10);
      expect(patterns.filter((pattern) => /\\p\{|\\u\{/i.test(pattern))).to.deep.equal([]);
      for (const pattern of patterns) expect(new RegExp(pattern)).to.be.instanceOf(RegExp);
    });

    it('name the kinds of a message by its type', () => {
      for (const { oneOf = [], discriminator } of nodesOf(components).filter(
        (node) => 'discriminator' in node,
      )) {
        const { propertyName, mapping } = discriminator as { propertyName: string; mapping: Node };
        const kinds = (oneOf as readonly { readonly $ref: string }[]).map(({ $ref }) => $ref);
        expect([propertyName, Object.values(mapping)]).to.deep.equal(['type', kinds]);
        for (const [type, target] of Object.entries(mapping)) {
          const schema = components[String(target).split('/').at(-1) ?? ''] as Node;
          expect(schema).to.have.nested.property('properties.type.const', type);
        }
      }
    });

    it('say in their document what clients must tolerate', () => {
      expect((document['info'] as Node)['description']).to.match(
        /further properties, .* messages .* codes: accept them/,
      );
    });
  });
}

describe('A client that validates by the public document', () => {
  const accepts = validatorOf(documents.public.document);
  const position = positionToken({ n: 7, mark: '0123456789abcdef' });

  it('accepts further properties and codes, and sees a further kind of message', () => {
    const item = { ...exampleItem(), more: 1 };
    expect(accepts('FeedPage', { items: [item], next_cursor: null, more: [] })).to.equal(true);
    const weather = { type: 'weather', position, wind: 3 };
    expect(accepts('StreamMessage', weather)).to.equal(false);
    expect(accepts('StreamMessage', { type: 'live', position, more: 1 })).to.equal(true);
    expect(accepts('Usage', { key_id: 'k', plan: 'team', limits: [] })).to.equal(true);
  });

  it('still finds a missing or a wrong property, also in a known kind of message', () => {
    expect(accepts('FeedPage', { items: [] })).to.equal(false);
    expect(accepts('FeedPage', { items: [{}], next_cursor: null })).to.equal(false);
    expect(accepts('StreamMessage', { type: 'item', position })).to.equal(false);
    expect(accepts('StreamMessage', { type: 'weather' })).to.equal(false);
    expect(accepts('Usage', { key_id: 'k', plan: 5, limits: [] })).to.equal(false);
  });

  it('sees the version of the service in the example of the index', () => {
    const [index] = nodesOf(documents.public.document['paths']).filter(
      ({ operationId }) => operationId === 'readIndex',
    );
    expect(JSON.stringify(index)).to.include('"version":"9.8.7"');
  });
});

describe('The pattern of a format', () => {
  const matches = (format: string, text: string) =>
    new RegExp(FORMAT_PATTERNS[format] ?? '^$', 'u').test(text);
  const digits = fc.integer({ min: 0, max: 61 }).map((n) => String(n).padStart(2, '0'));
  const offset = fc.oneof(
    fc.constantFrom('', 'Z', 'z'),
    fc.tuple(fc.constantFrom('+', '-', ' '), digits).map(([sign, hours]) => `${sign}${hours}:30`),
  );
  const time = fc
    .tuple(
      fc.constantFrom('T', 't', ' '),
      digits,
      digits,
      digits,
      fc.constantFrom('', '.5', '.1234567', '.'),
      offset,
    )
    .map(([t, h, m, s, f, o]) => `${t}${h}:${m}:${s}${f}${o}`);
  const date = fc.tuple(digits, digits).map(([month, day]) => `2026-${month}-${day}`);
  const momentText = fc.oneof(
    date,
    fc.tuple(date, time).map(([one, other]) => one + other),
    fc.string(),
  );

  it('matches each moment that is read (D4)', () => {
    fc.assert(
      fc.property(momentText, (text) => {
        if (parseMoment(text) !== undefined) expect(matches('moment', text)).to.equal(true);
      }),
      { numRuns: 1_000 },
    );
    expect(
      ['tomorrow', '1767225600', '2026-01-31T12:00Z'].filter((text) => matches('moment', text)),
    ).to.deep.equal([]);
  });

  it('matches each position that is read (D44)', () => {
    const mark = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((n) => n.toString(16).padStart(16, '0'));
    const positions = fc.record({ n: fc.maxSafeNat(), mark });
    const log = positions.map(positionToken);
    const replay = fc
      .tuple(positions, positions, fc.nat(2 ** 31))
      .map(([began, seen, at]) => streamToken({ of: 'replay', began, seen, reached: momentOf(at, 5) }));
    fc.assert(
      fc.property(fc.oneof(log, replay, fc.string()), (text) => {
        if (readStreamPosition(text) !== null) expect(matches('position', text)).to.equal(true);
      }),
    );
    expect(['', 'a b', 'x'.repeat(65)].filter((text) => matches('position', text))).to.deep.equal([]);
  });

  it('matches exactly the lists of codes that are read (D57)', () => {
    const list = fc
      .array(fc.oneof(fc.constantFrom('a', 'b', ''), fc.string()), { maxLength: 13 })
      .map((codes) => codes.join(','));
    fc.assert(
      fc.property(list, (text) => {
        expect(matches('codes', text)).to.equal(readCodes(text) !== undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('matches each text with words that is read (D57)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        if (readQueryWords(text) !== undefined) expect(matches('words', text)).to.equal(true);
      }),
    );
    // The characters for which only the decomposition decides, one by one: those of plane 0.
    const isPlain = new RegExp(`${FORMAT_PATTERNS['words']}|\\p{Cn}|\\p{Co}|\\p{Cs}`, 'u');
    const others = Array.from({ length: 0x1_0000 }, (_, point) => String.fromCodePoint(point)).filter(
      (character) => !isPlain.test(character),
    );
    expect(others.filter((character) => readQueryWords(character) !== undefined)).to.deep.equal([]);
    expect(['', ' ', '.-,'].filter((text) => matches('words', text))).to.deep.equal([]);
  });
});
