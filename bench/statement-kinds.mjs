/** The tables of the service. A statement is classified by the tables that it names. */
const TABLES = [
  ...['account', 'api_key', 'audit', 'notice', 'identity', 'session', 'ticket', 'payment_event', 'usage'],
  ...[
    'item',
    'item_sub_market',
    'item_facet',
    'item_terms',
    'term',
    'feed_head',
    'feed_change',
    'account_change',
    'instance',
    'test_clock',
    'turn',
  ],
];

const reads =
  (...tables) =>
  ({ written, named }) =>
    written.size === 0 && tables.every((table) => named.has(table));
const writes =
  (...tables) =>
  ({ written }) =>
    tables.some((table) => written.has(table));
const names =
  (...tables) =>
  ({ named }) =>
    tables.some((table) => named.has(table));
const has =
  (pattern) =>
  ({ text }) =>
    pattern.test(text);
const all =
  (...tests) =>
  (statement) =>
    tests.every((test) => test(statement));

const any =
  (...tests) =>
  (statement) =>
    tests.some((test) => test(statement));

export const KEY_LOOK_UP = 'key look-up by hash';
export const OTHER = 'other';

/**
 * The kinds of statements, in the order in which they are tried. `cause` is the unit of work to which the bench relates the
 * calls of a kind: a request, a publication, a revocation, or an instance and second.
 */
export const STATEMENT_KINDS = [
  {
    kind: 'transaction control',
    cause: null,
    is: has(/^(begin|start|commit|rollback|savepoint|release|set)\b/),
  },
  { kind: 'invalidation messages', cause: null, is: has(/pg_notify|^listen|^notify|_channel\b/) },
  { kind: 'grants check', cause: 'second', is: has(/has_table_privilege/) },
  { kind: 'heartbeat of an instance', cause: 'second', is: has(/\binstance\b/) },
  { kind: KEY_LOOK_UP, cause: 'request', is: all(reads('api_key', 'account'), has(/\bhash\b/)) },
  { kind: 'both change logs in one read', cause: 'second', is: reads('feed_change', 'account_change') },
  {
    kind: 'indexing items',
    cause: 'second',
    is: has(/has_terms is null.* order by scored_at desc limit \S+ for update|set has_terms =/),
  },
  { kind: 'items by id', cause: 'publication', is: all(reads('item'), has(/\bid = any/)) },
  { kind: 'feed page', cause: 'request', is: reads('feed_head', 'item') },
  { kind: 'head of the feed', cause: 'publication', is: reads('feed_head') },
  { kind: 'feed log', cause: 'publication', is: reads('feed_change') },
  { kind: 'account log', cause: 'second', is: reads('account_change') },
  {
    kind: 'retention',
    cause: 'second',
    is: has(/^(with .*)?delete from (feed_change|account_change|notice|payment_event)\b/),
  },
  {
    kind: 'publication: terms',
    cause: 'publication',
    is: any(writes('item_facet', 'item_terms', 'term'), all(reads('term'), has(/^select id, name/))),
  },
  {
    kind: 'publication: writes',
    cause: 'publication',
    is: writes('item', 'item_sub_market', 'feed_change', 'feed_head'),
  },
  { kind: 'publication: feed lock', cause: 'publication', is: has(/pg_advisory_xact_lock/) },
  { kind: 'publication: times in use', cause: 'publication', is: all(reads('item'), has(/asked \(at\)/)) },
  { kind: 'time of last use', cause: 'request', is: all(writes('api_key'), has(/last_used_at/)) },
  { kind: 'usage counts', cause: 'request', is: has(/\b(into|update|from) usage\b/) },
  {
    kind: 'due accounts',
    cause: 'second',
    is: all(has(/\bdue_at\b.*<=/), names('account')),
  },
  { kind: 'outbox', cause: 'second', is: has(/^update notice\b/) },
  { kind: 'payment events', cause: 'second', is: names('payment_event') },
  {
    kind: 'account changes',
    cause: 'revocation',
    is: writes('account', 'api_key', 'audit', 'account_change'),
  },
  { kind: 'counts of keys and subscriptions', cause: 'second', is: has(/\bcounted\b/) },
  { kind: 'account reads', cause: 'revocation', is: names('account', 'api_key', 'audit') },
  { kind: 'job leases', cause: 'second', is: names('turn') },
  {
    kind: 'sign-in',
    cause: 'second',
    is: names('session', 'ticket', 'identity'),
  },
  { kind: 'test clock', cause: 'second', is: names('test_clock') },
  { kind: 'connection check', cause: 'second', is: has(/^select \S+$/) },
];

const NAMED = /\b(?:from|join|into|using|update(?: of)?)\s+(?:only )?([a-z_]+)/g;
/** Not `for update`, `for no key update` and `on conflict do update`, which name no table that is written. */
const WRITTEN = /(?<!\bfor |\bkey |\bdo )\b(?:insert into|update|delete from)\s+(?:only )?([a-z_]+)/g;

/** The kind of a statement of the service, as text from `pg_stat_statements`; `other` if no rule applies. */
export function kindOf(query) {
  const text = query.toLowerCase().replaceAll('"', '').replace(/\s+/g, ' ').trim();
  const statement = { text, named: tablesIn(text, NAMED), written: tablesIn(text, WRITTEN) };
  const found = STATEMENT_KINDS.find(({ is }) => is(statement));
  return found?.kind ?? OTHER;
}

function tablesIn(text, pattern) {
  const found = [...text.matchAll(pattern)].map(([, table]) => table);
  return new Set(found.filter((table) => TABLES.includes(table)));
}
