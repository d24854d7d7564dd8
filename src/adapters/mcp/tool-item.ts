import type { FeedItem } from '../../domain/feed/feed-item.js';
import { versionDifferences } from '../../domain/feed/history/version-differences.js';
import type { CallApi, Query } from './api.js';
import { bytesOf, shortened } from './compact-item.js';
import { toolError } from './tool-error.js';
import { call, type Page, type ToolOutcome } from './tool-pages.js';
import { fittingBeside, isTooLarge, RESULT_ITEMS_MAX } from './tool-result.js';

type Change = {
  readonly revision: number | null;
  readonly known_at: string;
  readonly kind: string;
  readonly item: FeedItem | null;
};
type HistoryPage = { readonly changes: readonly Change[]; readonly complete: boolean };

/** The most changes of one page of the history: an id with more has too many for an agent. */
const CHANGES_MAX = 500;
/** The most fields of a version, and the most characters of a value. */
const FIELDS_MAX = 20;
const VALUE_LENGTH_MAX = 160;

/** Reads one item and its versions. Without its versions the item is a result too. */
export async function readItem(callApi: CallApi, query: Query): Promise<ToolOutcome> {
  const called = await call(callApi, '/pm/v2/news', query);
  if ('error' in called) return called;
  const { json, feedPosition } = called.answer;
  const [item] = (json as Page).items;
  if (item === undefined)
    return { error: toolError('news_not_found', 'There is no news event with this id.') };
  const bytes = bytesOf(item);
  if (isTooLarge(bytes)) {
    const detail = `The item has ${bytes} bytes, more than a result of a tool may have.`;
    return { error: toolError('item_too_large', detail) };
  }
  const versions = await readVersions(callApi, query, { bytes, until: feedPosition });
  return { result: { item, feed_position: feedPosition, ...versions } };
}

const UNKNOWN = { versions: null, versions_left_out: 0 };

/** The newest versions that fit beside the item, up to the position of its page. */
async function readVersions(
  callApi: CallApi,
  query: Query,
  { bytes, until }: { readonly bytes: number; readonly until: string | null },
) {
  const range = { ...query, limit: String(CHANGES_MAX), ...(until !== null && { until }) };
  const called = await call(callApi, '/pm/v2/history', range);
  if ('error' in called) return UNKNOWN;
  const { changes, complete } = called.answer.json as HistoryPage;
  // The newest versions are on a later page.
  if (!complete) return UNKNOWN;
  const first = Math.max(0, changes.length - RESULT_ITEMS_MAX);
  const newest = changes.slice(first).map((change, i) => versionOf(change, before(changes, first + i)));
  const versions = newest.toReversed();
  const fitting = fittingBeside(bytes, versions.map(bytesOf));
  return { versions: versions.slice(0, fitting), versions_left_out: changes.length - fitting };
}

/** The last content before a change. */
const before = (changes: readonly Change[], at: number): FeedItem | null =>
  changes.slice(0, at).findLast(({ item }) => item !== null)?.item ?? null;

function versionOf({ revision, known_at, kind, item }: Change, earlier: FeedItem | null) {
  const differences = item === null || earlier === null ? [] : versionDifferences(earlier, item);
  return {
    revision,
    known_at,
    kind,
    headline: item === null ? null : shortened(item.news_event.headline, VALUE_LENGTH_MAX),
    changed: differences.slice(0, FIELDS_MAX).map((difference) => ({
      field: shortValue(difference.field),
      before: shortValue(difference.before),
      after: shortValue(difference.after),
    })),
    more_changed: Math.max(0, differences.length - FIELDS_MAX),
  };
}

/** A text or a list with at most so many characters. Numbers and null are short. */
function shortValue(value: unknown): unknown {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  return typeof text !== 'string' || text.length <= VALUE_LENGTH_MAX
    ? value
    : shortened(text, VALUE_LENGTH_MAX);
}
