import { positionToken } from '../../../src/domain/feed/position.js';
import { administer } from '../servers/write-faults.js';
import type { Installation } from './installation.js';
import { headlineOf, isRefused, type Pages, readPages } from './pages.js';
import type { KnownItem, Publisher } from './publisher.js';
import type { Poller, SeenPositions } from './readers.js';
import type { RunRecord } from './record.js';

type ChangeRow = { readonly n: string; readonly mark: string; readonly item_id: string };

/** The change log: its numbers have no gap, it has every position that was seen, and every change as often as it was made. */
export async function judgeLog(
  installation: Installation,
  record: RunRecord,
  publishers: readonly Publisher[],
  positions: SeenPositions,
): Promise<void> {
  const rows = (await administer(installation.postgres.url, [
    "select n, encode(mark, 'hex') as mark, item_id from feed_change order by n",
  ])) as readonly ChangeRow[];
  record.count('changes in the log', rows.length);
  rows.forEach(({ n }, i) => {
    if (i > 0 && Number(n) !== Number(rows[i - 1]?.n) + 1)
      record.violated('numbers of changes have no gap (D11)', `${rows[i - 1]?.n}, then ${n}`);
  });
  const stored = new Set(rows.map(({ n, mark }) => positionToken({ n: Number(n), mark })));
  const unknown = [...positions].filter((position) => position !== '' && !stored.has(position as never));
  record.count('positions compared with the log', positions.size);
  if (unknown.length > 0)
    record.violated('every position that was seen is one of the log (D45)', unknown.slice(0, 10).join(', '));
  const numbers = new Map<string, number[]>();
  for (const { n, item_id } of rows) numbers.set(item_id, [...(numbers.get(item_id) ?? []), Number(n)]);
  for (const publisher of publishers) judgeChanges(publisher, numbers, record);
}

function judgeChanges(
  { items, once }: Publisher,
  numbers: ReadonlyMap<string, readonly number[]>,
  record: RunRecord,
): void {
  for (const { id, acknowledged, attempts } of items.values()) {
    const found = numbers.get(id)?.length ?? 0;
    if (found < Math.min(acknowledged, 1) || found > attempts)
      record.violated(
        'a change is stored, and not more often than it was sent (D11)',
        `${id}: ${found} changes, ${acknowledged} acknowledged, ${attempts} requests`,
      );
    if (found < acknowledged && acknowledged === attempts)
      record.violated('no acknowledged change is lost (D11)', `${id}: ${found} of ${acknowledged} changes`);
  }
  const inOrder = once.filter((id) => items.get(id)?.attempts === 1);
  inOrder.forEach((id, i) => {
    const before = inOrder[i - 1];
    if (before !== undefined && (numbers.get(before)?.[0] ?? 0) > (numbers.get(id)?.[0] ?? 0))
      record.violated('changes have the order of their acknowledgements (D11)', `${before}, then ${id}`);
  });
}

const PAGE_ITEMS = 500;

/** Every instance serves what the publishers know, in one order. Returns the text of each item. */
export async function judgeWalks(
  installation: Installation,
  record: RunRecord,
  known: readonly KnownItem[],
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const walks: Pages[] = [];
  for (const member of installation.members) {
    const read = await readPages(() => member.instance.url, key, PAGE_ITEMS);
    if (isRefused(read)) throw new Error(`a walk was refused: ${read.status} ${read.text}`);
    walks.push(read);
  }
  const [first] = walks;
  if (first === undefined) throw new Error('there is no instance');
  for (const [n, { items, repeated }] of walks.entries()) {
    if (repeated.length > 0) record.violated('a walk has each item once (D6)', `instance ${n}: ${repeated}`);
    const at = items.findIndex(
      ({ id, text }, i) => first.items[i]?.id !== id || first.items[i]?.text !== text,
    );
    if (at !== -1 || items.length !== first.items.length)
      record.violated(
        'all instances serve one order of the same items',
        `instance ${n} has ${items.length} items, and ${items[at]?.id} at ${at}; instance 0 ${first.items.length}, and ${first.items[at]?.id}`,
      );
  }
  const feed = new Map(first.items.map(({ id, text }) => [id, text]));
  record.count('items at the end', feed.size);
  for (const { id, headline } of known) {
    const text = feed.get(id);
    const served = text === undefined ? null : headlineOf(text);
    if (served !== headline)
      record.violated('the feed has the acknowledged state', `${id} is ${served}, acknowledged ${headline}`);
  }
  return feed;
}

/** A poller has the last version of every live item above its first head (D7, D8). It does not get retractions. */
export function judgePoller(
  poller: Poller,
  record: RunRecord,
  known: readonly KnownItem[],
  feed: ReadonlyMap<string, string>,
  from: number,
): void {
  for (const { id, isLive, headline, beganAt } of known) {
    if (!isLive || headline === null || beganAt < from) continue;
    record.count('items of pollers compared');
    if (poller.items.get(id) !== feed.get(id))
      record.violated(
        'a poller misses no live item (D7, D8)',
        `${id}, acknowledged ${headline}: the poller has ${headlineIn(poller.items.get(id))}`,
      );
  }
}

const headlineIn = (text: string | undefined): string | null =>
  text === undefined ? null : headlineOf(text);
