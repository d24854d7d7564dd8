import type { HistoryChange } from '../api.js';
import type { FeedMessage } from '../messages.js';
import type { FollowOptions, HistoryOptions } from '../options.js';
import type { MarketsQuery, PageQuery } from '../query.js';
import type { UserCommand } from './command-names.js';
import {
  changeText,
  historyText,
  ITEM_COLUMNS,
  itemRow,
  KEY_COLUMNS,
  keyRows,
  MARKET_COLUMNS,
  marketRow,
  USAGE_COLUMNS,
  usageRows,
} from './item-text.js';
import { storedPosition, storePosition } from './position-file.js';
import { FILTER_FLAGS, type Flags, queryOf, TEXT, TEXTS } from './read-arguments.js';
import type { ExitCode, Running } from './user-command.js';
import { verifyDelivery } from './verify-delivery.js';

type Command = {
  /** Its arguments in the help. */
  readonly usage: string;
  readonly flags: Flags;
  readonly hasPositionals?: true;
  readonly run: (running: Running) => Promise<ExitCode>;
};

const NEWS_FLAGS = {
  limit: TEXT,
  since: TEXT,
  'as-of': TEXT,
  'news-id': TEXT,
  'market-id': TEXT,
  ...FILTER_FLAGS,
} as const;
const CHANGE_FLAGS = {
  after: TEXT,
  since: TEXT,
  'news-id': TEXT,
  'market-id': TEXTS,
  ...FILTER_FLAGS,
} as const;
const FOLLOW_FLAGS = { ...CHANGE_FLAGS, 'position-file': TEXT } as const;
const HISTORY_FLAGS = { ...CHANGE_FLAGS, until: TEXT } as const;
const MARKET_FLAGS = {
  ref: TEXTS,
  q: TEXT,
  venue: TEXT,
  kind: TEXT,
  'main-market-id': TEXT,
  sort: TEXT,
  limit: TEXT,
} as const;

/** `export` has its own module, because it reads and writes a file. */
export const COMMANDS: Readonly<Record<Exclude<UserCommand, 'export'>, Command>> = {
  news: { usage: '[--limit N] [--since TIME] [--as-of TIME] [filters]', flags: NEWS_FLAGS, run: news },
  follow: {
    usage: '[--position-file FILE] [--after POSITION | --since TIME] [filters]',
    flags: FOLLOW_FLAGS,
    run: follow,
  },
  markets: {
    usage:
      '[REF… | --ref REF] [--q WORDS] [--venue HOST] [--kind main|sub] [--main-market-id ID] [--sort news|id] [--limit N]',
    flags: MARKET_FLAGS,
    hasPositionals: true,
    run: markets,
  },
  history: {
    usage: '[--after POSITION | --since TIME] [--until TIME|POSITION] [filters]',
    flags: HISTORY_FLAGS,
    run: history,
  },
  usage: { usage: '', flags: {}, run: usage },
  key: { usage: '', flags: {}, run: key },
  'verify-webhook': {
    usage:
      "--header 'webhook-id: …' --header 'webhook-timestamp: …' --header 'webhook-signature: …' [--body FILE] [--tolerance SECONDS]",
    flags: { header: TEXTS, body: TEXT, tolerance: TEXT },
    run: verifyDelivery,
  },
};

/** Of `news` and `markets`, without `--limit`. */
const COUNT = 50;
const PAGE_MAX = 500;

async function news(running: Running): Promise<ExitCode> {
  const { limit = String(COUNT), ...query } = queryOf(running.values, NEWS_FLAGS);
  const count = countOf(limit);
  if (count === null) return wrongLimit(running);
  const walk = running.client().walk({ ...(query as PageQuery), limit: Math.min(count, PAGE_MAX) }, running);
  return printFirst(running, walk, count, (items) => running.table(ITEM_COLUMNS, items.map(itemRow)));
}

/** Lines appear as they arrive; a table has the widths of all its rows. */
async function printFirst<Value extends object>(
  running: Running,
  values: AsyncIterable<Value>,
  count: number,
  printTable: (values: readonly Value[]) => Promise<void>,
): Promise<ExitCode> {
  const first: Value[] = [];
  let left = count;
  for await (const value of values) {
    if (running.form === 'lines') await running.json(value);
    else first.push(value);
    left -= 1;
    if (left === 0) break;
  }
  if (running.form === 'table') await printTable(first);
  return 0;
}

/** Null if it is no number from 1. */
const countOf = (text: unknown): number | null => (/^[1-9]\d{0,8}$/.test(String(text)) ? Number(text) : null);

function wrongLimit(running: Running): ExitCode {
  running.say('--limit must be a number from 1');
  return 2;
}

async function follow(running: Running): Promise<ExitCode> {
  const query = queryOf(running.values, CHANGE_FLAGS) as FollowOptions;
  const file = running.values['position-file'];
  const stored = typeof file === 'string' ? await storedPosition(file) : undefined;
  const after = stored ?? query.after;
  let position = after;
  try {
    for await (const message of running.client().follow({ ...query, after, signal: running.signal })) {
      await printMessage(running, message);
      position = message.position;
      if (typeof file !== 'string') continue;
      await running.flushed();
      await storePosition(file, position);
    }
  } finally {
    if (position !== undefined && file === undefined && running.form === 'table')
      running.say(`to continue: --after ${position}`);
  }
  return 0;
}

async function printMessage(running: Running, message: FeedMessage): Promise<void> {
  if (running.form === 'lines') return running.json(message);
  if (message.type === 'item') return running.fittedLine(changeText(message), '  +  ', 'green');
  if (message.type === 'retraction') return running.fittedLine(changeText(message), '  -  ', 'red');
  if (message.type === 'ready') running.say('connected. Ctrl-C stops.');
  if (message.type === 'live') running.say('all changes up to now are printed.');
}

async function markets(running: Running): Promise<ExitCode> {
  const { positionals, values } = running;
  const { limit: given, ref: named = [], ...query } = queryOf(values, MARKET_FLAGS);
  const ref = [...positionals, ...named];
  // A reference can fit several markets.
  const count = countOf(given ?? (ref.length > 0 ? PAGE_MAX : COUNT));
  if (count === null) return wrongLimit(running);
  const limit = Math.min(count, PAGE_MAX);
  if (ref.length > 0) return namedMarkets(running, { ...query, ref, limit } as MarketsQuery);
  const walk = running.client().walkMarkets({ sort: 'news', ...query, limit } as MarketsQuery, running);
  return printFirst(running, walk, count, (found) => running.table(MARKET_COLUMNS, found.map(marketRow)));
}

async function namedMarkets(running: Running, query: MarketsQuery): Promise<ExitCode> {
  const page = await running.client().markets(query, running);
  if (running.form === 'table') await running.table(MARKET_COLUMNS, page.markets.map(marketRow));
  else for (const market of page.markets) await running.json(market);
  for (const unknown of page.unknown) running.say(`no item has the market ${JSON.stringify(unknown)}`);
  return page.unknown.length === 0 ? 0 : 1;
}

async function history(running: Running): Promise<ExitCode> {
  const query = queryOf(running.values, HISTORY_FLAGS) as HistoryOptions;
  const changes = running.client().history({ ...query, signal: running.signal });
  for await (const change of changes) await printChange(running, change);
  if (running.form === 'table') running.say(`the changes up to the position ${changes.position ?? 'of now'}`);
  return 0;
}

const printChange = (running: Running, change: HistoryChange): Promise<void> =>
  running.form === 'lines' ? running.json(change) : running.fittedLine(historyText(change));

async function usage(running: Running): Promise<ExitCode> {
  const read = await running.client().usage(running);
  if (running.form === 'lines') await running.json(read);
  else {
    await running.line(`plan ${read.plan}, key ${read.key_id}`);
    await running.table(USAGE_COLUMNS, usageRows(read));
  }
  return 0;
}

async function key(running: Running): Promise<ExitCode> {
  const read = await running.client().key(running);
  if (running.form === 'lines') await running.json(read);
  else await running.table(KEY_COLUMNS, keyRows(read));
  return 0;
}
