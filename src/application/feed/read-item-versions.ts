import type { FeedItem } from '../../domain/feed/feed-item.js';
import { versionDifferences } from '../../domain/feed/history/version-differences.js';
import { NO_FILTER } from '../../domain/feed/stream-filter.js';
import { isRefusal } from '../../domain/refusal.js';
import type { HistoryChange } from '../ports/feed/feed-past.js';
import type { HistoryPage, ReadHistory } from './read-history.js';

/** A change of an item, with the fields that differ from the version before it; null if one of the two is not stored. */
export type ItemVersion = Pick<HistoryChange, 'kind' | 'knownAt' | 'revision' | 'scoredAt'> & {
  readonly changed: readonly string[] | null;
};

export type ItemVersions = {
  /** The newest first. */
  readonly versions: readonly ItemVersion[];
  /** Whether there are later changes, which were not read. */
  readonly isCut: boolean;
};

const PAGE = 100;
const PAGES_MAX = 2;
const SHOWN_MAX = 20;

/** The changes of one item in the history (D59). It reads at most two pages of 8 MB. */
export const readItemVersions = ({ readHistory }: { readonly readHistory: ReadHistory }) =>
  async function readItemVersions(id: string): Promise<ItemVersions> {
    const range = await readHistory.range({ from: null, until: null });
    if (isRefusal(range)) return { versions: [], isCut: false };
    const filter = { ...NO_FILTER, newsId: id };
    const changes: HistoryChange[] = [];
    let page: HistoryPage | null = null;
    for (let pages = 0; pages < PAGES_MAX && page?.isComplete !== true; pages += 1) {
      const after: typeof range.after = page?.position ?? range.after;
      page = await readHistory.page({ ...range, after }, filter, PAGE, async () => true);
      changes.push(...page.changes.map(({ change }) => change));
    }
    const versions = changes.map((change, i) => versionOf(change, changes[i - 1]));
    return { versions: versions.slice(-SHOWN_MAX).toReversed(), isCut: page?.isComplete === false };
  };

export type ReadItemVersions = ReturnType<typeof readItemVersions>;

function versionOf(change: HistoryChange, previous: HistoryChange | undefined): ItemVersion {
  const { kind, knownAt, revision, scoredAt } = change;
  const [before, after] = [previous === undefined ? null : bodyOf(previous), bodyOf(change)];
  const changed =
    before === null || after === null ? null : versionDifferences(before, after).map(({ field }) => field);
  return { kind, knownAt, revision, scoredAt, changed };
}

const bodyOf = (change: HistoryChange): FeedItem | null =>
  'item' in change && typeof change.item !== 'string'
    ? (JSON.parse(change.item.json.toString('utf8')) as FeedItem)
    : null;
