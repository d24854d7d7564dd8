import fc from 'fast-check';

/** Keys in every state that the gateway distinguishes; `small` has a limit that is soon reached. */
export const KEYS = ['good', 'small', 'held', 'unpaid', 'revoked', 'paused', 'narrow'] as const;
export type KeyName = (typeof KEYS)[number];
export type KeyValues = Readonly<Record<KeyName, string>>;

/** A request as it is sent; names and values of its headers alternate. */
export type Asked = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
};

/** Values that a request can use only once there are keys and an earlier page. */
export type Known = { readonly keys: KeyValues; readonly tag: string };
type Late<T> = (known: Known) => T;

const fixed = (...texts: readonly string[]) => fc.constantFrom(...texts);
const late = (text: fc.Arbitrary<string>): fc.Arbitrary<Late<string>> => text.map((value) => () => value);

const keyName: fc.Arbitrary<KeyName> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<KeyName>('good') },
  { weight: 3, arbitrary: fc.constantFrom(...KEYS) },
);
const NOT_A_KEY = ['', 'svc_', 'svc_short', 'other', `svc_${'A'.repeat(43)}`, `svc_${'A'.repeat(42)}B`];
const key: fc.Arbitrary<Late<string>> = fc.oneof(
  {
    weight: 6,
    arbitrary: keyName.map(
      (name): Late<string> =>
        ({ keys }) =>
          keys[name],
    ),
  },
  { weight: 1, arbitrary: late(fixed(...NOT_A_KEY)) },
);

const before =
  (prefix: string) =>
  (text: Late<string>): Late<string> =>
  (known) =>
    `${prefix}${text(known)}`;
const authorization = fc.oneof(
  { weight: 6, arbitrary: key.map(before('Bearer ')) },
  { weight: 1, arbitrary: key.map(before('bEARER   ')) },
  { weight: 1, arbitrary: key.map(before('Basic ')) },
  { weight: 1, arbitrary: late(fixed('', 'Bearer', 'Bearer x y')) },
);
const tags: fc.Arbitrary<Late<string>> = fc.constantFrom<Late<string>>(
  ({ tag }) => tag,
  ({ tag }) => tag,
  ({ tag }) => tag.replace('W/', ''),
  ({ tag }) => `"other" ,  ${tag}`,
  ({ tag }) => `${tag} "other"`,
  () => '*',
  () => '',
  () => 'W/"other"',
);
const ENCODINGS = [
  'gzip',
  'br',
  'gzip, deflate, br',
  'br;q=0, gzip',
  'identity;q=0',
  '*',
  '',
  'x',
  'gzip;q=x',
];
const ADDRESSES = [
  '192.0.2.1',
  '192.0.2.2, 198.51.100.7',
  '[2001:db8::1]:443',
  '203.0.113.9:80',
  'nobody',
  '',
];

/** A header that the response may depend on. */
const honoured: fc.Arbitrary<readonly [name: string, value: Late<string>]> = fc.oneof(
  fc.tuple(fc.constant('X-API-Key'), key),
  fc.tuple(fc.constant('Authorization'), authorization),
  fc.tuple(fc.constant('If-None-Match'), tags),
  fc.tuple(fc.constant('Accept-Encoding'), late(fixed(...ENCODINGS))),
  fc.tuple(
    fc.constant('Cache-Control'),
    late(fixed('no-cache', 'max-age=0', 'a, no-cache ,b', 'no-cache=1')),
  ),
  fc.tuple(fc.constant('If-Modified-Since'), late(fixed('Sun, 01 Mar 2026 12:00:00 GMT', '', 'x'))),
  fc.tuple(
    fc.constant('X-Request-Id'),
    late(fixed('a-request.1', 'a-request.2', 'short', '', 'x'.repeat(129))),
  ),
  fc.tuple(fc.constant('X-Forwarded-For'), late(fixed(...ADDRESSES))),
);

/** A header that no response may depend on. */
const IGNORED: readonly (readonly [name: string, value: string])[] = [
  ['Range', 'bytes=0-1'],
  ['If-Range', 'W/"x"'],
  ['If-Match', '"x"'],
  ['If-Unmodified-Since', 'Sun, 01 Mar 2026 12:00:00 GMT'],
  ['Accept', 'text/html'],
  ['Accept-Language', 'de, *;q=0.1'],
  ['Accept-Charset', 'utf-16'],
  ['Cookie', 'a=b; api_key=c'],
  ['Origin', 'https://elsewhere.example'],
  ['Referer', 'https://elsewhere.example/?api_key=x'],
  ['Access-Control-Request-Method', 'DELETE'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-Host', 'elsewhere.example'],
  ['X-Original-URL', '/nowhere'],
  ['Content-Type', 'application/json'],
  ['Content-Length', '0'],
  ['Content-Encoding', 'gzip'],
  ['Expect', '100-continue'],
  ['Expect', 'nothing'],
  ['Upgrade', 'h2c'],
  ['TE', 'trailers'],
  ['Via', '1.1 a'],
  ['X-Api-Keys', 'x'],
  ['Proxy-Authorization', 'Bearer x'],
  ['User-Agent', 'a'.repeat(300)],
  ['Sec-Fetch-Mode', 'navigate'],
];
const ignored = fc.constantFrom(...IGNORED).map(([name, value]) => [name, () => value] as const);
const unknown = fc
  .tuple(fc.stringMatching(/^x-[a-z]{1,12}$/), fc.stringMatching(/^[!-~]{0,20}$/))
  .map(([name, value]) => [name, () => value] as const);

/** Names in any letter case. */
const inAnyCase = (name: string, bits: number): string =>
  [...name]
    .map((character, i) => ((bits >> i) & 1 ? character.toUpperCase() : character.toLowerCase()))
    .join('');

const header = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: honoured },
      { weight: 2, arbitrary: ignored },
      { weight: 1, arbitrary: unknown },
    ),
    fc.integer({ min: 0, max: 2 ** 20 }),
  )
  .map(([[name, value], bits]) => [inAnyCase(name, bits), value] as const);

const hosts = fc.oneof(
  { weight: 30, arbitrary: fc.constant(['a']) },
  { weight: 1, arbitrary: fc.constantFrom([], ['a', 'b'], [''], ['a', 'a']) },
);

const PIECES = ['limit=1', 'limit=2', 'limit=0', 'limit=%', 'limit=1&limit=1', 'limit=', 'limit=007'];
const PARAMETERS = [
  ...['cursor=2026-03-01T10:00:05Z', 'cursor=2026-03-01T10%3A00%3A05Z', 'cursor=yesterday', 'cursor='],
  ...[
    'since=2026-03-01',
    'since=2026-03-01T10:00:03+00:00',
    'news_id=ne_3',
    'news_id=ne_99',
    'market_id=s-ne_2',
  ],
  ...['color=red', 'a=%zz', '%zz', '&', '=', '?', '#', "a='", 'a={', 'constructor=1', 'LIMIT=0'],
  ...[`a=${'x'.repeat(4_100)}`, 'api_key=', 'api%5Fkey=', 'mode=x'],
];
const parameter: fc.Arbitrary<Late<string>> = fc.oneof(
  { weight: 4, arbitrary: late(fixed(...PIECES)) },
  { weight: 6, arbitrary: late(fixed(...PARAMETERS)) },
  { weight: 1, arbitrary: key.map(before('api_key=')) },
);
const query = fc.oneof(
  { weight: 5, arbitrary: late(fixed('', '?', '?limit=2')) },
  {
    weight: 6,
    arbitrary: fc.array(parameter, { maxLength: 3 }).map(
      (some): Late<string> =>
        (known) =>
          `?${some.map((one) => one(known)).join('&')}`,
    ),
  },
);

const path = fc.oneof(
  { weight: 30, arbitrary: fc.constant('/pm/v2/news') },
  {
    weight: 1,
    arbitrary: fixed(
      '/pm/v2/news/',
      '/PM/v2/news',
      '/pm/v2/newsroom',
      '/pm/v2/%6Eews',
      '//pm/v2/news',
      '/pm/v2/news#a',
    ),
  },
  {
    weight: 1,
    arbitrary: fixed('http://a/pm/v2/news', '/pm/v2/usage', '/status', '/dashboard', '/operator'),
  },
);
const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant('GET') },
  { weight: 2, arbitrary: fixed('HEAD', 'OPTIONS', 'POST', 'DELETE', 'PUT', 'TRACE', 'PROPFIND') },
);

const carrier = fc.oneof(
  fc.tuple(fc.constant('X-API-Key'), key),
  fc.tuple(fc.constant('Authorization'), authorization),
);
const headers = fc
  .tuple(fc.option(carrier, { nil: null, freq: 8 }), fc.array(header, { maxLength: 5 }), hosts)
  .map(
    ([carried, others, named]): Late<readonly string[]> =>
      (known) => [
        ...named.flatMap((host) => ['Host', host]),
        ...[...(carried === null ? [] : [carried]), ...others].flatMap(([name, value]) => [
          name,
          value(known),
        ]),
      ],
  );

export type Step =
  | { readonly what: 'minute' }
  | { readonly what: 'publish' }
  | { readonly what: 'request'; readonly request: Late<Asked> };

/** One step: a request, a publication, or the next minute of the clock. */
export const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Step>({ what: 'minute' }, { what: 'publish' }) },
  {
    weight: 12,
    arbitrary: fc.tuple(method, path, query, headers).map(
      ([verb, at, asked, list]): Step => ({
        what: 'request',
        request: (known) => ({ method: verb, target: `${at}${asked(known)}`, headers: list(known) }),
      }),
    ),
  },
);
