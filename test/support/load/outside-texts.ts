import { cookieJar } from '../../../src/adapters/dashboard/cookies.js';
import { ownPath } from '../../../src/adapters/dashboard/demo/demo.js';
import { readFilter } from '../../../src/adapters/dashboard/destinations/destination-draft.js';
import { isFromHere, isOwnLink } from '../../../src/adapters/dashboard/form.js';
import { flashOf } from '../../../src/adapters/dashboard/keys/flash.js';
import { doneNotice } from '../../../src/adapters/dashboard/operator/accounts/action-text.js';
import { itemNotice } from '../../../src/adapters/dashboard/operator/feed/item-page.js';
import { isOnThisMachine } from '../../../src/adapters/dashboard/private-connection.js';
import { type Context as PageContext, parameter } from '../../../src/adapters/dashboard/state.js';
import { destinationLinks } from '../../../src/adapters/destinations/destination-links.js';
import { sealingOf } from '../../../src/adapters/destinations/sealing.js';
import { accessLog } from '../../../src/adapters/http/access-log.js';
import { mediaType } from '../../../src/adapters/http/answer/body.js';
import { Compression } from '../../../src/adapters/http/answer/compression.js';
import { conditional, isFresh } from '../../../src/adapters/http/answer/conditional.js';
import { destinationFilter } from '../../../src/adapters/http/feed/destination-filter.js';
import { NewsQueries } from '../../../src/adapters/http/feed/news-parameters.js';
import { credentialOf } from '../../../src/adapters/http/keys/credential.js';
import { queryKey } from '../../../src/adapters/http/keys/query-key.js';
import { clientAddress, rangesOf } from '../../../src/adapters/http/listener/client-address.js';
import { hostHeader } from '../../../src/adapters/http/listener/host-header.js';
import { requestStart } from '../../../src/adapters/http/listener/request-start.js';
import { onlyFor } from '../../../src/adapters/http/operations/tokens.js';
import { parameters, values } from '../../../src/adapters/http/parameters.js';
import { readHeaders } from '../../../src/adapters/http/read-headers.js';
import { notFound, routes } from '../../../src/adapters/http/routes.js';
import { readTest } from '../../../src/adapters/http/sandbox/asked-test.js';
import type { Context } from '../../../src/adapters/http/state.js';
import { isOwnSource } from '../../../src/adapters/mcp/own-source.js';
import { readChapter } from '../../../src/adapters/reference/chapters.js';
import { prefersPage } from '../../../src/adapters/reference/front/front-route.js';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { stripeSignature } from '../../../src/adapters/stripe/stripe-signature.js';
import { requestTraces } from '../../../src/adapters/tracing/request-traces.js';
import {
  type EmailAddress,
  mailboxOf,
  readEmailAddress,
} from '../../../src/domain/accounts/email-address.js';
import { readReason } from '../../../src/domain/accounts/reason.js';
import { readCustomerId } from '../../../src/domain/billing/account-customer.js';
import { readProposedLimit } from '../../../src/domain/billing/proposed-limits.js';
import { readDestinationUrl } from '../../../src/domain/destinations/destination-url.js';
import { readCodes, readQueryWords } from '../../../src/domain/feed/filters/filter-values.js';
import { wordsOfQuestion } from '../../../src/domain/feed/filters/question-words.js';
import { referenceKeys } from '../../../src/domain/feed/markets/market-references.js';
import { readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import { readControls } from '../../../src/domain/keys/key-controls.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { readLabel } from '../../../src/domain/keys/label.js';
import { isNetworkFault, readNetwork } from '../../../src/domain/keys/network.js';
import { loggedQuery } from '../../../src/domain/limits/request-log.js';
import { parseMoment } from '../../../src/domain/moment.js';
import { NOON } from '../objects/builders.js';
import { REFERENCES } from '../objects/problem-references.js';
import { bareContext } from '../service/middleware.js';

/** A function that reads text from outside, and the pieces of texts that could make it slow. */
export type OutsideText = {
  readonly name: string;
  /** Prepares the input with the text. Only the work of the returned function is counted. */
  readonly take: (text: string) => () => unknown;
  /** The pieces are repeated and mixed to the length of a text. `USUAL` has the common ones. */
  readonly pieces: readonly string[];
  /** The start of each text, so that it passes the first check of the function. */
  readonly begins?: string;
};

const USUAL = ['a', '0', ' ', ',', '%25', '"', '.', '/', 'é'];

const format = keyFormat('svc_');
const start = requestStart(
  {
    keyFormat: format,
    config: { trustedProxyHops: 2 },
    tracing: { begin: requestTraces({ percent: 0, trustsCallers: true, record: null }) },
  },
  REFERENCES,
);
const KEY = `svc_${'a'.repeat(42)}A`;
const next = async () => {};

/** Passes the text as the argument. */
const direct =
  (read: (text: string) => unknown) =>
  (text: string): (() => unknown) =>
  () =>
    read(text);
/** Passes the text in one header of a request. */
const header =
  (name: string, read: (ctx: Context) => unknown) =>
  (text: string): (() => unknown) => {
    const ctx = bareContext({ headers: [[name, text]], peer: '127.0.0.1' });
    ctx.req.headers['content-length'] = '1'; // Without a body, the content type is not read.
    return () => read(ctx);
  };
const page = (read: (ctx: PageContext) => unknown) => (ctx: Context) => read(ctx as unknown as PageContext);
/** Passes each line of the text as a separate header of the same name. */
const headers =
  (name: string, read: (ctx: Context) => unknown) =>
  (text: string): (() => unknown) => {
    const ctx = bareContext({ headers: text.split('\n').map((value) => [name, value] as const) });
    return () => read(ctx);
  };
const url =
  (path: string, read: (ctx: Context) => unknown) =>
  (text: string): (() => unknown) => {
    const ctx = bareContext({ url: `${path}${text}` });
    return () => read(ctx);
  };

const requestLog = { record: () => {}, recordPoll: null, measure: () => {}, redact: format.redact };
const writeLogLine = (ctx: Context): void => {
  ctx.state = { ...ctx.state, path: '', address: '' };
  void accessLog(requestLog)(ctx, next);
  ctx.res.emit('close');
};
const sampleRoutes = routes(
  ['/pm/v2/news', '/internal/v1/keys/:id/rotate', '/operator/accounts/:id/keys/:key/acts/:act'].map(
    (path) => ({
      path,
      methods: { GET: [notFound] },
    }),
  ),
);
const page200 = (ctx: Context) => {
  ctx.status = 200;
  ctx.body = Buffer.from('{}');
  ctx.set('ETag', 'W/"2-abc"');
  return conditional(ctx, next);
};
const compression = new Compression();
const LONG_BODY = Buffer.alloc(2_048);
const isSigned = stripeSignature(['whsec_1', 'whsec_2']);
const readEvent = readStripeEvent({ prices: {}, planOfProduct: async () => null }, () => false);
const NEWS = '/pm/v2/news?';

const sentKey = ({ req, querystring }: Context) =>
  credentialOf(readHeaders(req.rawHeaders), querystring, format, true);
/** Passes the text in each header that a request for the feed reads, twice. */
const honoured = (text: string): (() => unknown) => {
  const names = [
    ...['X-API-Key', 'Authorization', 'Accept-Encoding', 'X-Request-Id', 'X-Forwarded-For'],
    ...['If-None-Match', 'Cache-Control', 'If-Modified-Since'],
  ];
  const rawHeaders = ['Host', 'a', ...[...names, ...names].flatMap((name) => [name, text])];
  return () => {
    const read = readHeaders(rawHeaders);
    return [
      credentialOf(read, '', format, true),
      clientAddress('192.0.2.1', read.forwardedFor ?? '', 2),
      isFresh('W/"x"', read),
    ];
  };
};

const QUERY = [
  '&',
  '=',
  '+',
  '%',
  '%2',
  '%25',
  '%41',
  'a',
  'limit=1',
  'api_key=',
  'cursor=2026-01-01',
  ...USUAL,
];
const sealing = sealingOf([], { isStored: false });
if (sealing === null) throw new Error('no sealing');
const links = destinationLinks({ sealing, publicUrl: () => 'https://a.example' });
const LIST = [',', ';', ' ', '\t', '"', '\\', '=', 'q=0.1', 'gzip', '*', 'W/"x"', 'no-cache', ...USUAL];

/** Every function that reads text from outside. A new one needs a row here. */
// biome-ignore format: a table is read by its columns
export const OUTSIDE_TEXTS: readonly OutsideText[] = [
  { name: 'path and query of a request target', take: url('/', (ctx) => [ctx.path, ctx.querystring]), pieces: ['?', '#', '//', '@', ':', ...USUAL] },
  { name: 'a request target or an origin that is a URL', take: direct((text) => URL.canParse(text) && new URL(text).host), pieces: ['/', '?', '#', '@', ':', '[', ...USUAL], begins: 'http://a' },
  { name: 'redact', take: direct(format.redact), pieces: ['%', '25', '%25', '%2', '%73vc_', 'svc_', 'SVC_', KEY, ...USUAL] },
  { name: 'redact, of an encoded key', take: direct(format.redact), pieces: ['25', '%', '2', '5', 'a', '73'], begins: '%' },
  { name: 'recognise', take: direct(format.recognise), pieces: ['a', '_', KEY, ...USUAL], begins: 'svc_' },
  { name: 'startsLikeKey', take: direct(format.startsLikeKey), pieces: ['svc_', ...USUAL] },
  { name: 'shown', take: direct(format.shown), pieces: USUAL },
  { name: 'parameters', take: direct(parameters), pieces: QUERY },
  { name: 'values', take: direct((text) => values(text, 'api_key')), pieces: QUERY },
  { name: 'the query of a page', take: direct((text) => new NewsQueries(format).read(text)), pieces: QUERY },
  { name: 'one parameter of that query', take: direct((text) => new NewsQueries(format).read(text)), pieces: ['0', '1', '.', ':', 'Z', ' ', '%20', '%00'], begins: 'cursor=2026-01-01T00:00:00.' },
  { name: 'parseMoment', take: direct(parseMoment), pieces: ['0', '9', '.', ':', 'Z', ' '], begins: '2026-01-01T00:00:00.' },
  { name: 'readCodes', take: direct(readCodes), pieces: [',', ',,', 'a,', ...USUAL] },
  { name: 'readQueryWords', take: direct(readQueryWords), pieces: ['\u0301', 'ﬃ', 'İ', 'ab ', 'Σ', ...USUAL] },
  { name: 'wordsOfQuestion', take: direct(wordsOfQuestion), pieces: ['\u0301', 'ﬃ', 'İ', 'ab ', 'Σ', ...USUAL] },
  { name: 'referenceKeys', take: direct(referenceKeys), pieces: ['/', '//', '.a', 'a.', '-', ':', '?', '&', '=', '#', '%', '%2F', '%C3', ...USUAL] },
  { name: 'referenceKeys, of a URL', take: direct(referenceKeys), pieces: ['/', '/..', '?', '&', '&&', '=', '&via=', '#', '%', '%2F', '%C3', ...USUAL], begins: 'https://www.metaculus.com/en/questions/' },
  { name: 'readStreamPosition', take: direct(readStreamPosition), pieces: ['A', '_', '-', '=', '+', 'AA', ...USUAL], begins: 'AAAAAAAAA' },
  { name: 'readStreamPosition, of a position in a replay', take: direct(readStreamPosition), pieces: ['A', '_', '-', ...USUAL], begins: 'AQA' },
  { name: 'the key of a request, in the query', take: url(NEWS, sentKey), pieces: QUERY },
  { name: 'the key of a request, in X-API-Key', take: headers('X-API-Key', sentKey), pieces: ['\n', 'a\n', `${KEY}\n`, ...USUAL] },
  { name: 'the key of a request, in Authorization', take: headers('Authorization', sentKey), pieces: ['\n', ' ', 'Bearer a\n', 'bearer ', ...USUAL], begins: 'Bearer ' },
  { name: 'a token of the internal listener', take: header('Authorization', (ctx) => onlyFor(['operator'], { operator: 'o', publisher: 'p' }, async () => null)(ctx, next)), pieces: [' ', 'bearer ', 'a', ...USUAL], begins: 'Bearer ' },
  { name: 'the start of a request, by its path', take: url('/', (ctx) => start(ctx, next)), pieces: ['%', '25', 'svc_', ...USUAL] },
  { name: 'the start of a request, by X-Request-Id', take: header('X-Request-Id', (ctx) => start(ctx, next)), pieces: USUAL },
  { name: 'the start of a request, by X-Forwarded-For', take: header('X-Forwarded-For', (ctx) => start(ctx, next)), pieces: [':', '[', ']', '1.2.3.4', '::1', ...USUAL] },
  { name: 'the source of a request of an agent, by Host', take: direct((host) => isOwnSource({ host, origin: undefined }, 'a')), pieces: [':', '[', ']', '@', 'a.', ...USUAL] },
  { name: 'the source of a request of an agent, by Origin', take: direct((origin) => isOwnSource({ host: 'a', origin }, 'a')), pieces: [':', '[', '//', '@', 'a.', ...USUAL], begins: 'http://' },
  { name: 'the chapter of the documentation in a path', take: direct(readChapter), pieces: ['.md', 'quickstart', '%', ...USUAL] },
  { name: 'Oddswire-Test', take: direct(readTest), pieces: ['slow', 'rate_limited', ...USUAL] },
  { name: 'the form of the front page, by Accept', take: header('Accept', prefersPage), pieces: ['text/html', ',', ';q=0.5', '*/*', ' ', '"', ...USUAL] },
  { name: 'clientAddress', take: direct((text) => clientAddress('192.0.2.1', text, 1)), pieces: [':', '[', ']', '1.2.3.4', '::1', ...USUAL] },
  { name: 'rangesOf', take: direct(rangesOf), pieces: [':', '::', '1:', '1.', '0', 'f', '%', ...USUAL] },
  { name: 'the log line of a request', take: url(NEWS, writeLogLine), pieces: ['limit=%25&', 'mode=svc_&', ...QUERY] },
  { name: 'the headers for a query with a key', take: url(NEWS, (ctx) => queryKey(ctx, next)), pieces: QUERY },
  { name: 'Host, repeated', take: headers('Host', (ctx) => hostHeader(ctx, next)), pieces: ['\n', 'a', 'a\n'] },
  { name: 'the routes of a listener', take: url('/', (ctx) => sampleRoutes(ctx, next)), pieces: ['/', 'a', '%', '%41', 'keys/', 'pm/v2/news', ...USUAL], begins: 'internal/v1/keys/' },
  { name: 'Content-Type', take: header('Content-Type', (ctx) => mediaType(ctx, ['application/json'])), pieces: LIST },
  { name: 'Content-Encoding', take: header('Content-Encoding', (ctx) => mediaType(ctx, ['application/json'])), pieces: LIST },
  { name: 'Accept-Encoding', take: direct((text) => compression.choose(text, LONG_BODY)), pieces: LIST },
  { name: 'If-None-Match', take: header('If-None-Match', page200), pieces: LIST },
  { name: 'Cache-Control beside If-None-Match', take: header('Cache-Control', (ctx) => { ctx.req.headers['if-none-match'] = 'W/"x"'; return page200(ctx); }), pieces: LIST },
  { name: 'the headers of a request for the page', take: honoured, pieces: LIST, begins: 'Bearer ' },
  { name: 'a cookie', take: header('Cookie', page((ctx) => cookieJar(true).read(ctx, 'session'))), pieces: ['; ', '__Host-oddswire_session', 'oddswire_', ...LIST] },
  { name: 'a parameter of a page', take: url('/dashboard/keys?', page((ctx) => parameter(ctx, 'said'))), pieces: QUERY },
  { name: 'the fields of a form', take: direct((text) => new URLSearchParams(text).get('email')), pieces: QUERY },
  { name: 'the type of a form', take: header('Content-Type', (ctx) => ctx.is('application/x-www-form-urlencoded')), pieces: LIST, begins: 'application/' },
  { name: 'Origin', take: header('Origin', page(isFromHere)), pieces: [':', '/', '@', '[', ...USUAL], begins: 'http://a' },
  { name: 'Sec-Fetch-Site', take: header('Sec-Fetch-Site', page(isOwnLink)), pieces: USUAL },
  { name: 'Host of a page', take: header('Host', page(isOnThisMachine)), pieces: [':', '0', 'localhost', ...USUAL], begins: 'localhost:' },
  { name: 'the return page of the demo', take: direct(ownPath), pieces: ['/', '/a', 'a', '_', ...USUAL], begins: '/dashboard' },
  { name: 'the flash message of a page', take: direct((text) => [flashOf(text), doneNotice(text), itemNotice(text)]), pieces: USUAL },
  { name: 'readEmailAddress', take: direct(readEmailAddress), pieces: ['a', '@', '.', '-', 'a-', 'a.', ' ', 'İ', '\u0301', ...USUAL], begins: 'a@' },
  { name: 'readEmailAddress, of a short one', take: direct((text) => readEmailAddress(text.slice(0, 254))), pieces: ['a', '@', '.', '-', 'a-', 'a.', 'é'], begins: 'a@' },
  { name: 'mailboxOf', take: direct((text) => mailboxOf(text as EmailAddress)), pieces: ['+', '@', 'a'] },
  { name: 'readLabel', take: direct((text) => readLabel(text, format)), pieces: ['svc_', '%73', '🚀', ...USUAL] },
  { name: 'loggedQuery', take: direct((text) => loggedQuery(text, format.redact)), pieces: ['api_key=', '&', '=', 'svc_', '%73', ...USUAL] },
  { name: 'readControls', take: direct((text) => readControls({ expiry: text, addresses: text, perMinute: text, perDay: text })), pieces: ['\n', '\r\n', '::', '1:', '1.', '/', '203.0.113.7\n', '2026-', ...USUAL] },
  { name: 'readNetwork', take: direct((text) => isNetworkFault(readNetwork(text))), pieces: [':', '::', '1:', '1.', 'f', '/1', ...USUAL] },
  { name: 'readCustomerId', take: direct(readCustomerId), pieces: ['🚀', ...USUAL] },
  { name: 'readProposedLimit', take: direct(readProposedLimit), pieces: USUAL },
  { name: 'readReason', take: direct((text) => readReason(text, format)), pieces: ['svc_', '\r\n', '\r', '%73', '🚀', ...USUAL] },
  { name: 'readDestinationUrl', take: direct((text) => readDestinationUrl(text, 'webhook', { ports: [], allowsLoopback: true })), pieces: ['\t', '/..', '@', ':', '[', 'ß', '。', '%2E', '?', '#', ...USUAL], begins: 'https://' },
  { name: 'readFilter', take: direct((text) => readFilter(text, { checkFilter: destinationFilter, keyFormat: format })), pieces: ['q=', 'market=', 'category=a,', 'svc_', ...QUERY], begins: '?' },
  { name: 'the token of a link in an email', take: direct((token) => [links.readConfirm({ destination: 'dst_1', token }), links.readUnsubscribe({ destination: 'dst_1', token })]), pieces: ['.', 'v1.', 'A', '_', '-', ...USUAL], begins: 'v1.' },
  { name: 'a signature of Stripe', take: direct((text) => isSigned(Buffer.from('{}'), text, NOON)), pieces: ['t=', 'v1=', 't=1,', 'v1=00,', ',', ...USUAL], begins: 't=1772366400,v1=' },
  { name: 'the body of a webhook', take: direct((text) => isSigned(Buffer.from(text), 't=1772366400,v1=00', NOON)), pieces: ['{', '"', '\ufeff', ...USUAL] },
  { name: 'an event of Stripe', take: direct((text) => readEvent(Buffer.from(text))), pieces: ['{', '[', '"a":', ...USUAL], begins: '{"id":"' },
];

/** From version 22 on, Node has loaded its query parser before any program starts, so the meter does not count its work. */
const COUNTS_NODE = Number.parseInt(process.versions.node, 10) < 22;
const KOA_QUERY = {
  name: 'the query as Koa parses it (T1)',
  take: url('/?', (ctx) => ctx.query),
  pieces: ['a&'],
};

/** Functions with quadratic work, which the measurement must recognise. */
// biome-ignore format: a table is read by its columns
export const CONTROLS: readonly OutsideText[] = [
  ...(COUNTS_NODE ? [KOA_QUERY] : []),
  { name: 'percent-encoding decoded level by level (T19)', take: direct(decodedLevelByLevel), pieces: ['25'], begins: '%' },
  { name: 'a regular expression that restarts at every character', take: direct((text) => /\+[^@]*@/.test(text)), pieces: ['+'] },
  { name: 'a regular expression with nested backtracking', take: direct((text) => /^(?:a+)+$/.test(text)), pieces: ['aaaaaaaaaaaaaaaaaaaa!'] },
  { name: 'a list that is searched for each of its elements', take: direct((text) => text.split(',').map((piece, i, all) => all.lastIndexOf(piece, i - 1))), pieces: ['a,'] },
  { name: 'list elements that are compared with each other', take: direct((text) => text.split(',').map((_, i, all) => all.filter((piece) => piece === String(i)))), pieces: ['a,'] },
];

function decodedLevelByLevel(text: string): string {
  const once = text.replace(/%[0-7][0-9a-f]/gi, (octet) => decodeURIComponent(octet));
  return once === text ? text : decodedLevelByLevel(once);
}
