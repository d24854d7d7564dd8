// biome-ignore-all format: its tables have a row for each request
import { domainToASCII } from 'node:url';

/**
 * The most expensive known requests without a key, for each part of a request that the service reads.
 *
 * `build` returns the whole request on the wire, one byte per character (latin1). Its argument has a number `n`, different
 * for each request of a run, which defeats caches; and the time in epoch seconds, which a Stripe-Signature must contain.
 * `hops` is the value of TRUSTED_PROXY_HOPS that the service must be started with.
 */

/** Settings of the service that receives these requests: every feature that reads more of a request is on. */
export const SETTINGS_OF_WORST_REQUESTS = {
  ANONYMOUS_PER_MINUTE: '1000000',
  STRIPE_WEBHOOK_SECRET: 'whsec_first_of_the_bench,whsec_second_of_the_bench',
  GITHUB_CLIENT_ID: 'client-of-the-bench',
  GITHUB_CLIENT_SECRET: 'secret-of-the-bench-at-github',
};

/** Node accepts 16 384 bytes of target, header names and header values; the rest is for the other headers. */
const HEADER = 16_200;
/** A longer query string is 414 (D14). */
const QUERY = 4_096;
/** Larger forms and webhooks are refused. */
const FORM = 16 * 1_024;
const WEBHOOK = 256 * 1_024;

const HOST = 'Host: localhost';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const LATIN_BYTE = '\xff';

/** As many complete `unit`s as fit into `bytes`. */
const fill = (unit, bytes = HEADER) => unit.repeat(Math.floor(bytes / unit.length));
const lines = (count, lineOf) => Array.from({ length: count }, (_, i) => lineOf(i));
const request = (start, headers = [], body = '') => `${[`${start} HTTP/1.1`, HOST, ...headers].join('\r\n')}\r\n\r\n${body}`;
const get = (target, ...headers) => request(`GET ${target}`, headers);
const post = (path, headers, body) => request(`POST ${path}`, [...headers, `Content-Length: ${body.length}`], body);
const postByteByByte = (path, headers, body) => {
  const chunks = body.replace(/./gs, '1\r\n$&\r\n');
  return request(`POST ${path}`, [...headers, 'Transfer-Encoding: chunked'], `${chunks}0\r\n\r\n`);
};

const news = (...headers) => get('/pm/v2/news', ...headers);
const openApi = (...headers) => get('/openapi.json', ...headers);
const page = (...headers) => get('/dashboard/keys', ...headers);
const signIn = (body, ...headers) => post('/dashboard/sign-in', [FORM_TYPE, ...headers], body);
const webhook = (signature, body) => post('/webhooks/stripe', [`Stripe-Signature: ${signature}`], body);

/** `25` repeated after one `%`: a percent sign that is encoded thousands of times. */
const deepPercent = (bytes) => `%${fill('25', bytes - 1)}`;
/** A host in punycode: the decoder inserts each character before the same thousands of others. */
const PUNYCODE_HOST = domainToASCII(`${'é'.repeat(7_900)}${'a'.repeat(7_900)}`);
/** A host of a thousand different characters: the punycode encoder reads the whole host once for each of them. */
const ENCODED_HOST = encodeURIComponent(lines(1_700, (i) => String.fromCharCode(0x5000 - i)).join(''));
const V1 = `,v1=${'a'.repeat(64)}`;

const PATH = [
  { name: 'path: %2525…, encoded thousands of times', build: () => get(`/${deepPercent(HEADER)}`) },
  { name: 'path: %41%41…', build: () => get(`/${fill('%41')}`) },
  { name: 'path: %2541…, encoded twice', build: () => get(`/${fill('%2541')}`) },
  { name: 'path: only %', build: () => get(`/${fill('%')}`) },
  { name: 'path: invalid UTF-8', build: () => get(`/dashboard/assets/${fill('%ff')}`) },
  { name: 'path: svc_svc_…', build: () => get(`/${fill('svc_')}`) },
  { name: 'path: texts one character too short for a key', build: () => get(`/${fill(`svc_${'a'.repeat(15)}.`)}`) },
  { name: 'path: texts that look like keys', build: () => get(`/${fill(`svc_${'a'.repeat(16)}.`)}`) },
  { name: 'path: slashes', build: () => get(fill('/')) },
  { name: 'path: quotes before a #', build: () => get(`/${fill("'", HEADER - 1)}#`) },
  { name: 'path: an encoded page parameter', build: () => get(`/dashboard/sign-in/${fill('%41')}`) },
  { name: 'path: parameters of a console page', build: () => get(`/operator/accounts/${fill('a/')}`) },
  { name: 'target: a URL with a path %2525…', build: () => get(`http://a/${deepPercent(HEADER)}`) },
  { name: 'target: a URL with a host in punycode', build: () => get(`http://${PUNYCODE_HOST}/`) },
  { name: 'target: a URL with an encoded host', build: () => get(`http://${ENCODED_HOST}/`) },
  {
    name: 'target: a URL with ../ in its path',
    build: () => get(`http://a/${fill('a/', HEADER / 2)}${fill('../', HEADER / 2)}`),
  },
  { name: 'target: a URL with @@@', build: () => get(`http://${fill('@')}a/`) },
];

const QUERY_STRING = [
  { name: 'query: a&a&… of 16 KB', build: () => get(`/pm/v2/news?${fill('a&')}`) },
  { name: 'query: a&a&…', build: () => get(`/pm/v2/news?${fill('a&', QUERY)}`) },
  { name: 'query: &&&', build: () => get(`/pm/v2/news?${fill('&', QUERY)}`) },
  { name: 'query: %&%&…, names that cannot be decoded', build: () => get(`/pm/v2/news?${fill('%&', QUERY)}`) },
  { name: 'query: a=%&a=%&…, values that cannot be decoded', build: () => get(`/pm/v2/news?${fill('a=%&', QUERY)}`) },
  { name: 'query: %&%&… to a page', build: () => get(`/dashboard/sign-in?${fill('%&', QUERY)}`) },
  { name: 'query: cursor=%2525…', build: () => get(`/status?cursor=${deepPercent(QUERY - 7)}`) },
  { name: 'query: api_key=0&api_key=1…', build: () => get(`/pm/v2/news?${lines(310, (i) => `api_key=${i}`).join('&')}`) },
  { name: 'query: api_key=+++', build: () => get(`/pm/v2/news?api_key=${fill('+', QUERY - 8)}`) },
  { name: 'query: an encoded token', build: () => get(`/dashboard/sign-in/link?token=${fill('%41', QUERY - 6)}`) },
  {
    name: 'query: a&a&… to a callback',
    build: () => get(`/dashboard/sign-in/github/callback?${fill('a&', QUERY)}`, 'Cookie: oddswire_flow=a'),
  },
  { name: 'query: a&a&… of 16 KB with two Hosts', build: () => get(`/pm/v2/news?${fill('a&')}`, HOST) },
  { name: 'query: %&%&… of 16 KB with two Hosts', build: () => get(`/pm/v2/news?${fill('%&')}`, HOST) },
  {
    name: 'query: cursor=%2525… of 16 KB with two Hosts',
    build: () => get(`/status?cursor=${deepPercent(HEADER - 20)}`, HOST),
  },
];

const HEADERS = [
  { name: 'Authorization: one long token', build: () => news(`Authorization: Bearer ${fill('svc_')}`) },
  { name: 'Authorization: spaces', build: () => news(`Authorization: Bearer${fill(' ')}a`) },
  { name: 'Authorization: 700 times', build: () => news(...lines(700, () => 'Authorization: Bearer a')) },
  { name: 'X-API-Key: 500 times', build: () => news(...lines(500, (i) => `X-API-Key: svc_${i}`)) },
  { name: 'X-API-Key: 1 600 times', build: () => news(...lines(1_600, () => 'X-API-Key:a')) },
  { name: 'X-Request-Id: svc_svc_…', build: () => news(`X-Request-Id: ${fill('svc_', 128)}`) },
  { name: 'If-None-Match: thousands of tags', build: () => openApi(`If-None-Match: ${fill('"a",')}`) },
  { name: 'If-None-Match: commas', build: () => openApi(`If-None-Match: ${fill(',')}`) },
  { name: 'If-Modified-Since: parentheses', build: () => openApi(`If-Modified-Since: ${fill('(')}`) },
  { name: 'Cache-Control: commas', build: () => openApi('If-None-Match: a', `Cache-Control: a${fill(', ')}a`) },
  { name: 'Accept-Encoding: thousands of codings', build: ({ n }) => openApi(`Accept-Encoding: ${fill('a,')}${n}`) },
  { name: 'Accept-Encoding: weights', build: ({ n }) => openApi(`Accept-Encoding: ${fill('br;q=0.5,')}${n}`) },
  { name: 'Accept-Encoding: spaces', build: ({ n }) => openApi(`Accept-Encoding: a${fill(' ')}${n}`) },
  { name: 'Accept: thousands of types', build: () => get('/dashboard/sign-in', `Accept: ${fill('a/b;q=0.1,')}`) },
  { name: 'Range: thousands of ranges', build: () => get('/dashboard/assets/uplot.js', `Range: bytes=${fill('0-1,')}`) },
  { name: 'Cookie: thousands of cookies', build: () => page(`Cookie: ${fill('a=b; ')}`) },
  { name: 'Cookie: names that almost match', build: () => page(`Cookie: ${fill('oddswire_sessio; ')}`) },
  { name: 'Cookie: spaces', build: () => page(`Cookie: ;${fill(' ')}a`) },
  { name: 'Cookie: a long session', build: () => page(`Cookie: oddswire_session=${fill('a')}`) },
  { name: 'Content-Type: parameters', build: () => post('/dashboard/sign-in', [`Content-Type: a/b${fill('; a=a')}`], 'a') },
  { name: 'Content-Type: a quoted text', build: () => post('/dashboard/sign-in', [`Content-Type: a/b; a="${fill('\\"')}`], 'a') },
  { name: 'Origin: a host in punycode', build: () => signIn('email=a', `Origin: http://${PUNYCODE_HOST}`) },
  { name: 'Origin: an encoded host', build: () => signIn('email=a', `Origin: http://${ENCODED_HOST}`) },
  {
    name: 'Origin: a host of Latin-1 letters',
    build: () => signIn('email=a', `Origin: http://${fill('\xe0\xff\xf1\xe9', HEADER - 100)}`),
  },
  { name: 'Host: digits', build: () => `GET /dashboard HTTP/1.1\r\nHost: ${fill('1')}\r\n\r\n` },
  { name: 'Host: 1 600 times', build: () => news(...lines(1_600, () => 'Host:a')) },
  { name: 'Connection: thousands of options', build: () => news(`Connection: ${fill('a,')}`) },
  { name: 'Expect: one long text', build: () => news(`Expect: ${fill('a')}`) },
  { name: '16 000 headers without a value', build: () => news(...lines(16_000, () => 'a:')) },
  { name: '4 000 headers of different names', build: () => news(...lines(4_000, (i) => `x${i.toString(36).padStart(2, '-')}:`)) },
  { name: '2 400 headers of different names, 16 KB on the wire', build: () => news(...lines(2_400, (i) => `x${i.toString(36).padStart(2, '-')}:`)) },
];

const FORWARDED = [
  { name: 'X-Forwarded-For: thousands of entries', build: ({ n }) => news(`X-Forwarded-For: ${fill('1,')}${n}`) },
  { name: 'X-Forwarded-For: an entry of spaces', build: ({ n }) => news(`X-Forwarded-For: 1,${fill(' ')}${n}`) },
  { name: 'X-Forwarded-For: similar to IPv6', build: ({ n }) => news(`X-Forwarded-For: ${n}:${fill('a:')}g`) },
  { name: 'X-Forwarded-For: similar to IPv6 with a zone', build: ({ n }) => news(`X-Forwarded-For: ::1%${n}${fill('a')}`) },
  { name: 'X-Forwarded-For: similar to IPv4', build: ({ n }) => news(`X-Forwarded-For: ${n}.${fill('1.')}`) },
  { name: 'X-Forwarded-For: %2525…', build: ({ n }) => news(`X-Forwarded-For: ${n}${deepPercent(HEADER)}`) },
  { name: 'X-Forwarded-For: 800 times', build: ({ n }) => news(...lines(800, (i) => `X-Forwarded-For:${n + i}`)) },
].map((one) => ({ ...one, hops: 1 }));

const METHODS = [
  {
    name: 'OPTIONS with thousands of requested headers',
    build: () => request('OPTIONS /pm/v2/news', [`Access-Control-Request-Headers: ${fill('a,')}`]),
  },
  { name: 'OPTIONS *', build: () => request('OPTIONS *') },
  { name: 'a method that the service does not serve', build: () => request(`PROPFIND /${fill('%41')}`) },
  { name: 'a method that does not exist', build: () => request(`${fill('X')} /`) },
  { name: 'CONNECT', build: () => request(`CONNECT ${fill('a')}:1`) },
  { name: 'a header over 16 KB', build: () => news(`a: ${fill('a', 2 * HEADER)}`) },
];

const BODIES = [
  { name: 'form: an email address of 16 KB of @', build: () => signIn(`email=${fill('@', FORM - 6)}`) },
  { name: 'form: an email address of 16 KB of <', build: () => signIn(`email=${fill('<', FORM - 6)}`) },
  { name: 'form: an email address of spaces', build: () => signIn(`email=a${fill('+', FORM - 8)}a`) },
  { name: 'form: an almost valid email address of 254 characters', build: () => signIn(`email=a%40${fill('a', 251)}-`) },
  { name: 'form: an email address', build: ({ n }) => signIn(`email=${n}%40example.org`) },
  { name: 'form: %%%', build: () => signIn(`email=${fill('%', FORM - 6)}`) },
  { name: 'form: invalid UTF-8', build: () => signIn(`email=${fill(LATIN_BYTE, FORM - 6)}`) },
  { name: 'form: thousands of fields', build: () => signIn(fill('a&', FORM)) },
  { name: 'form: email= thousands of times', build: () => signIn(fill('email=&', FORM)) },
  {
    name: 'form: in chunks of a byte, 16 KB on the wire',
    build: () => postByteByByte('/dashboard/sign-in', [FORM_TYPE], fill('a', FORM / 6)),
  },
  { name: 'form: the token of a link', build: () => post('/dashboard/sign-in/link', [FORM_TYPE], `token=${fill('a', FORM - 6)}`) },
  { name: 'form: the token of an operator', build: () => post('/operator/sign-in', [FORM_TYPE], `token=${fill('a', FORM - 6)}`) },
  {
    name: 'an unread body in chunks of a byte, 16 KB',
    build: () => postByteByByte('/pm/v2/news', [], fill('a', FORM / 6)),
  },
  { name: 'Stripe-Signature: t=1,t=1,…', build: () => webhook(fill('t=1,'), '{}') },
  { name: 'Stripe-Signature: thousands of signatures', build: ({ now }) => webhook(`t=${now}${fill(',v1=a')}`, '{}') },
  { name: 'Stripe-Signature: commas', build: ({ now }) => webhook(`t=${now}${fill(',')}`, '{}') },
  { name: 'webhook: 256 KB of nested JSON, unsigned', build: () => webhook(`t=1${V1}`, fill('[', WEBHOOK)) },
  { name: 'webhook: 256 KB of nested JSON, wrong signature', build: ({ now }) => webhook(`t=${now}${V1}`, fill('[', WEBHOOK)) },
  {
    name: 'webhook: 256 KB of invalid UTF-8, wrong signature',
    build: ({ now }) => webhook(`t=${now}${V1}`, fill(LATIN_BYTE, WEBHOOK)),
  },
  {
    name: 'webhook: in chunks of a byte, 16 KB on the wire',
    build: () => postByteByByte('/webhooks/stripe', [], fill('a', FORM / 6)),
  },
  {
    name: 'webhook: 256 KB in chunks of a byte, 1.5 MB on the wire',
    build: () => postByteByByte('/webhooks/stripe', [], fill('a', WEBHOOK)),
  },
];

export const WORST_REQUESTS = [...PATH, ...QUERY_STRING, ...HEADERS, ...FORWARDED, ...METHODS, ...BODIES].map(
  ({ name, build, hops = 0 }) => ({ name, build, hops }),
);
