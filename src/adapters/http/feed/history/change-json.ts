import type {
  HistoryPage,
  HistoryProgress,
  ShownHistoryChange,
} from '../../../../application/feed/read-history.js';
import { type FeedItem, withSubMarkets } from '../../../../domain/feed/feed-item.js';
import { positionToken } from '../../../../domain/feed/position.js';

const NULL = Buffer.from('null');
const END = Buffer.from('}');
const MISSING_END = Buffer.from(',"missing":true}');

/** The JSON of a change in pieces (D61). The item keeps the bytes that pages had. */
export function changeJson({ change, form }: ShownHistoryChange): readonly Buffer[] {
  const { position, kind, knownAt: known_at, scoredAt: scored_at, id, revision } = change;
  const members = { position: positionToken(position), kind, known_at, scored_at, id, revision };
  const start = Buffer.from(`${JSON.stringify(members).slice(0, -1)},"item":`);
  return [start, itemJson({ change, form }), form.isMissing ? MISSING_END : END];
}

/** A line of an export whose filter passes few changes. */
export const progressJson = ({ progress }: HistoryProgress): Buffer =>
  Buffer.from(JSON.stringify({ type: 'progress', position: positionToken(progress) }));

function itemJson({ change, form: { shown } }: ShownHistoryChange): Buffer {
  const item = 'item' in change ? change.item : null;
  if (shown === null || item === null || typeof item === 'string') return NULL;
  if (shown === 'whole') return item.json;
  return Buffer.from(
    JSON.stringify(withSubMarkets(JSON.parse(item.json.toString('utf8')) as FeedItem, shown)),
  );
}

/** The JSON of a page: `{"changes":[…],"position":…,"complete":…}`. */
export function historyPageJson({ changes, position, isComplete }: HistoryPage): Buffer {
  const list = changes.flatMap((change, i) => [Buffer.from(i === 0 ? '' : ','), ...changeJson(change)]);
  const end = `],"position":"${positionToken(position)}","complete":${isComplete}}`;
  return Buffer.concat([Buffer.from('{"changes":['), ...list, Buffer.from(end)]);
}
