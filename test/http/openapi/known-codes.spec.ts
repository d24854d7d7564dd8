import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { faultKinds } from '../../../src/adapters/http/answer/fault-kinds.js';
import { problemCodes, problemTable, statusOf } from '../../../src/adapters/http/answer/problem.js';
import { historyQuery } from '../../../src/adapters/http/feed/history/history-parameters.js';
import { marketsQuery } from '../../../src/adapters/http/feed/markets/markets-parameters.js';
import { newsQuery } from '../../../src/adapters/http/feed/news-parameters.js';
import { readSubscribe } from '../../../src/adapters/http/feed/stream/subscribe-message.js';
import { internalDocument } from '../../../src/adapters/http/openapi/internal-document.js';
import { publicDocument } from '../../../src/adapters/http/openapi/public-document.js';
import { parameters } from '../../../src/adapters/http/parameters.js';
import { streamToken } from '../../../src/domain/feed/stream-position.js';
import { moment } from '../../support/objects/builders.js';

type Node = Readonly<Record<string, unknown>>;
type Operation = {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly requestBody?: Node;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Node>> }>>;
  };
};

const SETTINGS = {
  version: '9.8.7',
  publicUrl: 'https://api.example.com',
  internalUrl: 'http://127.0.0.1:8081',
  isDemo: true,
};
const DOCUMENTS = {
  customer: publicDocument(SETTINGS) as unknown as Document,
  operator: internalDocument(SETTINGS) as unknown as Document,
};

/** Statuses with a problem that no operation documents: of every path, and of `/mcp` and the last message of a stream. */
const ANYWHERE = { customer: [400, 404, 405, 413, 414, 415, 409, 431], operator: [400, 404, 405, 431] };

/** Statuses that a route gives to a code that has another one elsewhere. */
const OTHER_STATUSES: readonly number[] = [422, 426];

const SOURCES = resolve(import.meta.dirname, '../../../src');
const DECLARED = /refusal\.js$|fault-kinds\.js$/;

const modules = (): readonly string[] =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !DECLARED.test(file))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'));

const listed = ({ components }: Document, schema: 'Problem' | 'Fault'): unknown =>
  components.schemas[schema]?.properties['code']?.['x-extensible-enum'];

const operationsOf = ({ paths }: Document): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item).filter(({ responses }) => responses));

for (const reader of ['customer', 'operator'] as const) {
  const document = DOCUMENTS[reader];
  const answers = operationsOf(document).flatMap(({ responses }) => Object.entries(responses));

  describe(`The document for ${reader}s`, () => {
    it('lists exactly the codes of problems that they can get', () => {
      expect(listed(document, 'Problem')).to.deep.equal(problemCodes(reader));
    });

    it('lists exactly the kinds of faults that they can get', () => {
      expect(listed(document, 'Fault')).to.deep.equal(faultKinds(reader));
    });

    it('lists a code for each status of a problem that it documents, and no code without its status', () => {
      const statuses = new Set(answers.map(([status]) => Number(status)).filter((status) => status >= 400));
      const listedStatuses = new Set(problemCodes(reader).map(statusOf));
      const others = [...statuses].filter((status) => !listedStatuses.has(status));
      expect(others.filter((status) => !OTHER_STATUSES.includes(status))).to.deep.equal([]);
      expect(
        problemCodes(reader).filter(
          (code) => !statuses.has(statusOf(code)) && !ANYWHERE[reader].includes(statusOf(code)),
        ),
      ).to.deep.equal([]);
    });

    it('lists each code that the text of a call names', () => {
      const texts = JSON.stringify(document.paths).matchAll(/`(\w+)`/g);
      const all: ReadonlySet<string> = new Set(problemTable().map(({ code }) => code));
      const named = new Set([...texts].map(([, name = '']) => name).filter((name) => all.has(name)));
      expect([...named].filter((name) => !problemCodes(reader).some((code) => code === name))).to.deep.equal(
        [],
      );
    });
  });
}

describe('A code', () => {
  it('of a problem is in the list of a document, unless only a page has it', () => {
    const lists = new Set([...problemCodes('customer'), ...problemCodes('operator')]);
    const others = problemTable().filter(({ code }) => !lists.has(code));
    expect(others.map(({ code, readers }) => [code, readers])).to.deep.equal([
      ['changed_meanwhile', 'page'],
      ['too_many_destinations', 'page'],
      ['not_tested', 'page'],
      ['not_confirmed', 'page'],
    ]);
  });

  it('of a fault is in the list of a document, and occurs in the service', () => {
    const sources = modules();
    const kinds = new Set([...faultKinds('customer'), ...faultKinds('operator')]);
    expect(kinds.size).to.be.above(30);
    expect(
      [...kinds].filter((kind) => !sources.some((source) => source.includes(`'${kind}'`))),
    ).to.deep.equal([]);
  });
});

const AT = { n: 7, mark: '00112233445566ff' };
const TIME = moment('2026-03-01T12:00:00.000000Z');
const REPLAY = streamToken({ of: 'replay', began: AT, seen: AT, reached: TIME });

/** Requests of customers with one fault each, by the kind of the fault. */
// biome-ignore format: a table is read by its columns
const WRONG = [
  ['conflict',           historyQuery(`after=${streamToken({ of: 'log', position: AT })}&since=${TIME}`)],
  ['empty',              newsQuery(parameters('limit='))],
  ['in_replay',          newsQuery(parameters(`as_of=${REPLAY}`))],
  ['invalid_as_of',      newsQuery(parameters('as_of=x'))],
  ['invalid_codes',      newsQuery(parameters('category=a,,b'))],
  ['invalid_cursor',     marketsQuery('cursor=x')],
  ['invalid_encoding',   newsQuery(parameters('news_id=%FF'))],
  ['invalid_enum',       marketsQuery('sort=x')],
  ['invalid_max_items',  historyQuery('market_id=a&'.repeat(101))],
  ['invalid_max_length', newsQuery(parameters(`news_id=${'x'.repeat(257)}`))],
  ['invalid_min_length', readSubscribe('{"type":"subscribe","market_id":[""]}')],
  ['invalid_moment',     newsQuery(parameters('since=x'))],
  ['invalid_pattern',    newsQuery(parameters('news_id=%00'))],
  ['invalid_position',   historyQuery('after=x')],
  ['invalid_type',       newsQuery(parameters('limit=x'))],
  ['invalid_words',      newsQuery(parameters('q=-'))],
  ['not_allowed',        readSubscribe('{"type":"x"}')],
  ['not_with_as_of',     newsQuery(parameters(`as_of=${TIME}&category=a`))],
  ['out_of_range',       newsQuery(parameters('limit=0'))],
  ['repeated',           newsQuery(parameters('limit=1&limit=1'))],
  ['unknown_field',      readSubscribe('{"type":"subscribe","x":"a"}')],
] as const;

describe('The kinds of faults of customers', () => {
  for (const [kind, refused] of WRONG) {
    it(`have ${kind}, which a request gets`, () => {
      expect(refused).to.have.nested.property('faults[0].code', kind);
    });
  }

  it('are those of these requests', () => {
    expect(faultKinds('customer')).to.have.members(WRONG.map(([kind]) => kind));
  });
});

/** The keywords of which `validator.ts` makes faults, each with a kind of its own. */
const KEYWORDS = [
  ...['required', 'additionalProperties', 'anyOf', 'enum', 'type', 'minimum', 'maximum'],
  ...['format: moment', 'format: uri', 'format: email', 'minLength', 'maxLength', 'pattern'],
];
const NO_CHECKS: ReadonlySet<string> = new Set(['description', 'examples', 'x-extensible-enum']);

/** The keywords of a schema and of those inside it. A format is written with its name. */
function keywordsOf(schema: Node, { components }: Document): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const of = (inner: unknown) => keywordsOf(inner as Node, { components } as Document);
    if (NO_CHECKS.has(keyword)) return [];
    if (keyword === '$ref') return of(components.schemas[String(value).split('/').at(-1) ?? '']);
    if (keyword === 'properties') return Object.values(value as Node).flatMap(of);
    if (keyword === 'items') return of(value);
    if (keyword === 'anyOf') return [keyword, ...(value as readonly Node[]).flatMap(of)];
    return [keyword === 'format' ? `format: ${value}` : keyword];
  });
}

describe('The keywords of the schemas of bodies', () => {
  it('have a kind of fault each', () => {
    const document = DOCUMENTS.operator;
    const bodies = operationsOf(document).flatMap(({ requestBody = {} }) =>
      [...JSON.stringify(requestBody).matchAll(/"\$ref":"([^"]*)"/g)].map(([, $ref]) => ({ $ref })),
    );
    expect(bodies.length).to.be.above(8);
    const found = new Set(bodies.flatMap((body) => keywordsOf(body, document)));
    expect([...found]).to.have.members(KEYWORDS);
  });
});
