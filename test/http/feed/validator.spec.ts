import { expect } from 'chai';
import { validator } from '../../../src/adapters/http/schema/validator.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';

/** A copy of a value, with the location of a JSON pointer set, or removed if `set` is undefined. */
function withValueAt(value: unknown, pointer: string, set: unknown): unknown {
  const copy = structuredClone(value);
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let location = copy as Record<string, unknown>;
  for (const name of names) location = location[name] as Record<string, unknown>;
  if (set === undefined) delete location[last];
  else location[last] = set;
  return copy;
}

const good = publication({ related_markets: [market('m1', subMarket('s1', '2026-01-31'))] });
const sub = '/related_markets/0/sub_markets/0';
const main = '/related_markets/0/main_market';

describe('An invalid publication', () => {
  const faultsOf = validator('Publication');

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [location: string, set: unknown, code: string, message: RegExp])[] = [
    ['/news_event',                                  undefined,   'missing',           /^is missing$/],
    ['/news_event/headline',                         undefined,   'missing',           /^is missing$/],
    [`${sub}/momentum/config`,                       undefined,   'missing',           /^is missing$/],
    ['/meta',                                        {},          'unknown_field',     /not a field of this object/],
    [`${sub}/color`,                                 'red',       'unknown_field',     /not a field of this object/],
    ['/news_event/scored_at',                        '2026-01-31', 'unknown_field',    /not a field of this object/],
    ['/news_event/id',                               '',          'invalid_min_length', /fewer than 1/],
    ['/news_event/id',                               'x'.repeat(257), 'invalid_max_length', /more than 256/],
    ['/news_event/id',                               5,           'invalid_type',      /must be string/],
    ['/news_event/author',                           5,           'invalid_type',      /must be string,null/],
    ['/news_event/source_type',                      'RSS',       'invalid_pattern',   /must match pattern/],
    ['/news_event/source_news_url',                  'news',      'invalid_uri',       /must be an absolute URL/],
    ['/news_event/source_published_at',              'yesterday', 'invalid_moment',    /RFC 3339 date-time, such as 2026/],
    ['/news_event/source_published_at',              '2026-02-31T00:00:00Z', 'invalid_moment', /RFC 3339/],
    ['/news_event/feed_categories',                  'geo',       'invalid_type',      /must be array/],
    ['/news_event/feed_categories/0',                null,        'invalid_type',      /must be string/],
    ['/news_event/aggregate_event_relevance/bucket', 'High',      'invalid_pattern',   /must match pattern/],
    ['/scored_at',                                   '1767225600', 'invalid_moment',   /RFC 3339/],
    [`${sub}/scored_at`,                             'soon',      'invalid_moment',    /RFC 3339/],
    [`${main}/outcomes`,                             {},          'invalid_type',      /must be null/],
    [`${main}/momentum`,                             false,       'invalid_type',      /must be null/],
    [`${main}/thin_liquidity`,                       undefined,   'missing',           /^is missing$/],
    [`${sub}/news_effect/affected_outcome`,          'yes',       'invalid_pattern',   /must match pattern/],
    [`${sub}/market_snapshot/yes_tick_age_seconds`,  1.5,         'invalid_type',      /must be integer/],
    [`${sub}/market_snapshot/yes_ask`,               '0.6',       'invalid_type',      /must be number/],
    [`${sub}/market_snapshot/yes_ask`,               44,          'out_of_range',      /^must be from 0 to 1$/],
    [`${sub}/market_snapshot/no_ask`,                -0.01,       'out_of_range',      /^must be from 0 to 1$/],
    [`${sub}/market_snapshot/no_ask`,                JSON.parse('1e999'), 'invalid_type', /must be number/],
    [`${sub}/market_snapshot/volume_24h`,            -1,          'out_of_range',      /^must be at least 0$/],
    [`${sub}/market_snapshot/total_volume`,          -0.5,        'out_of_range',      /^must be at least 0$/],
    [`${sub}/market_snapshot/yes_tick_age_seconds`,  -1,          'out_of_range',      /^must be at least 0$/],
    [`${sub}/market_snapshot/no_tick_age_seconds`,   -9,          'out_of_range',      /^must be at least 0$/],
    [`${sub}/market_snapshot/no_tick_age_seconds`,   JSON.parse('-1e999'), 'invalid_type', /must be integer/],
    [`${sub}/momentum/pre_move_pp`,                  100.1,       'out_of_range',      /^must be from -100 to 100$/],
    [`${sub}/momentum/pre_move_pp`,                  -101,        'out_of_range',      /^must be from -100 to 100$/],
    [`${sub}/market_url`, 'https://trader@markets.example/m', 'invalid_uri', /without a user name/],
    [`${sub}/outcomes/no/token_id`,                  7,           'invalid_type',      /must be string,null/],
    [`${sub}/outcomes/maybe`,                        {},          'unknown_field',     /not a field of this object/],
  ];
  for (const [location, set, code, message] of cases) {
    it(`has a fault at ${location}: ${JSON.stringify(set)?.slice(0, 20)} is ${code} (D12, D41)`, () => {
      const faults = faultsOf(withValueAt(good, location, set));
      expect(faults.map((fault) => [fault.parameter, fault.code])).to.deep.equal([[location, code]]);
      expect(faults[0]?.message).to.match(message);
    });
  }

  it('is reported with all its faults at once', () => {
    const bad = withValueAt(withValueAt(good, '/news_event/headline', undefined), `${sub}/market_url`, 'x');
    expect(faultsOf(bad).map(({ parameter }) => parameter)).to.have.members([
      '/news_event/headline',
      `${sub}/market_url`,
    ]);
  });

  it('is reported with 20 faults at most', () => {
    const wrong = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field-${i}`, i]));
    expect(faultsOf({ ...good, ...wrong })).to.have.length(20);
  });

  it('is reported with an escaped pointer if the name of a field contains `/` or `~` (RFC 6901)', () => {
    expect(faultsOf({ ...good, 'a/b~c': 1 }).map(({ parameter }) => parameter)).to.deep.equal(['/a~1b~0c']);
  });

  for (const value of [null, [], 'text', 5, true]) {
    it(`has a fault at its root: ${JSON.stringify(value)}`, () => {
      const faults = faultsOf(value);
      expect(faults.map(({ parameter, code }) => [parameter, code])).to.deep.equal([['', 'invalid_type']]);
    });
  }

  it('may have each number at the ends of its range (D41)', () => {
    const ends = [
      {
        yes_ask: 0,
        no_ask: 1,
        volume_24h: 0,
        total_volume: 1e15,
        yes_tick_age_seconds: 0,
        no_tick_age_seconds: 0,
      },
      {
        yes_ask: 1,
        no_ask: 0,
        volume_24h: 1e15,
        total_volume: 0,
        yes_tick_age_seconds: 1e9,
        no_tick_age_seconds: 1e9,
      },
    ];
    for (const [i, numbers] of ends.entries()) {
      const { market_snapshot: snapshot } = subMarket('s1');
      const set = withValueAt(good, `${sub}/market_snapshot`, { ...snapshot, ...numbers });
      expect(faultsOf(withValueAt(set, `${sub}/momentum/pre_move_pp`, i * 200 - 100))).to.deep.equal([]);
    }
  });

  it('differs from a valid one, which has no faults and stays unchanged', () => {
    const before = structuredClone(good);
    expect(faultsOf(good)).to.deep.equal([]);
    expect(good).to.deep.equal(before);
  });
});

describe('An invalid body of the operator API', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [schema: string, body: unknown, location: string, code: string, message: RegExp])[] = [
    ['NewAccount',   { email: 'somebody', plan: 'pro' },         '/email',           'invalid_email',      /must be an email address/],
    ['NewAccount',   { email: 'a@b.example', plan: 'gold' },     '/plan',            'not_allowed',        /must be one of free, builder, pro/],
    ['NewAccount',   { email: 'a@b.example' },                   '/plan',            'missing',            /is missing/],
    ['Revocation',   { cause: 'cancellation' },                  '/cause',           'not_allowed',        /must be one of rotation, manual/],
    ['HoldRequest',  {},                                         '/reason',          'missing',            /is missing/],
    ['HoldRequest',  { reason: '' },                             '/reason',          'invalid_min_length', /fewer than 1/],
    ['Release',      { cause: 'payment_failure' },               '/cause',           'not_allowed',        /manual_hold, abuse/],
    ['ClockAdvance', { advance_seconds: -1 },                    '/advance_seconds', 'out_of_range',       /from 0 to 3155760000/],
    ['ClockAdvance', { advance_seconds: 1e12 },                  '/advance_seconds', 'out_of_range',       /from 0 to 3155760000/],
    ['NewKey',       { label: 5 },                               '/label',           'invalid_type',       /must be string/],
  ];
  for (const [schema, body, location, code, message] of cases) {
    it(`has a fault: ${schema} ${JSON.stringify(body)} is ${code} at ${location}`, () => {
      const [fault, ...others] = validator(schema)(body);
      expect(others).to.deep.equal([]);
      expect([fault?.parameter, fault?.code]).to.deep.equal([location, code]);
      expect(fault?.message).to.match(message);
    });
  }

  it('cannot be validated against a schema that does not exist', () => {
    expect(() => validator('Nothing')).to.throw('no schema is called Nothing');
  });
});
