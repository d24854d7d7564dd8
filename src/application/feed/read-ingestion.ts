import {
  lastHour,
  MINUTES_KEPT,
  type PublishedMinute,
  type Rejection,
  startOfMinute,
} from '../../domain/feed/publication-record.js';
import { LAST_MOMENT, MINUTE, type Moment, plus } from '../../domain/moment.js';
import type { FeedPast } from '../ports/feed/feed-past.js';
import type { FeedPages } from '../ports/feed/feed-store.js';
import { Unavailable } from '../unavailable.js';
import type { PublicationNotes } from './publication-notes.js';
import { NEWEST_ITEM } from './read-feed-head.js';

export type Ingestion = {
  /** When the newest item was scored; null if there is none, or it cannot be read now. */
  readonly newestItem: Moment | null;
  /** How many changes of the log this instance has not applied yet; null if one of both cannot be read now. */
  readonly changesBehind: number | null;
  /** The last 60 minutes, oldest first. `published`: by all instances; null if they cannot be counted in time. */
  readonly minutes: readonly (Omit<PublishedMinute, 'published'> & { readonly published: number | null })[];
  /** Of this instance, the newest first. */
  readonly rejections: readonly Rejection[];
};

type Parts = {
  readonly feed: FeedPages;
  readonly feedPast: Pick<FeedPast, 'find' | 'publishedPerMinute'>;
  readonly publicationNotes: PublicationNotes;
};

/** How publishers and copies fare: what is published from the log of all instances, what is rejected from this instance. */
export const readIngestion = ({ feed, feedPast, publicationNotes }: Parts) =>
  async function readIngestion(now: Moment): Promise<Ingestion> {
    const from = startOfMinute(plus(now, (1 - MINUTES_KEPT) * MINUTE));
    const [page, newest, published] = await Promise.all([
      inTime(async () => feed.page(NEWEST_ITEM)),
      inTime(() => feedPast.find({ by: 'time', time: LAST_MOMENT })),
      inTime(() => feedPast.publishedPerMinute(from)),
    ]);
    const counts = new Map(published?.map(({ start, published: count }) => [start, count]));
    const { minutes, rejections } = publicationNotes.record;
    const last = newest?.point?.position.n;
    return {
      newestItem: page?.head ?? null,
      changesBehind: page === null || last === undefined ? null : Math.max(0, last - page.position.n),
      minutes: lastHour(minutes, now).map((minute) => ({
        ...minute,
        published: published === null ? null : (counts.get(minute.start) ?? 0),
      })),
      rejections: rejections.toReversed(),
    };
  };

export type ReadIngestion = ReturnType<typeof readIngestion>;

/** Null while the store does not answer in time. */
async function inTime<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof Unavailable) return null;
    throw fault;
  }
}
