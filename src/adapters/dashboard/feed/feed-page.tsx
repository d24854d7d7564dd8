import type { ComponentChildren } from 'preact';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import type { PositionToken } from '../../../domain/feed/position.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { marketPath, marketsPath } from '../markets/market-paths.js';
import { Layout } from '../page/layout.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { windowText } from './code-text.js';
import { FEED_PATH, feedPath } from './feed-address.js';
import { FeedCard } from './feed-card.js';
import { FeedSamples } from './feed-samples.js';
import { ActiveFilters, FilterForm } from './filter-form.js';

type FeedProps = {
  readonly viewer: Viewer;
  readonly items: readonly FeedItem[];
  readonly now: Moment;
  /** What remains of the limits after this page view. */
  readonly limits: readonly Limit[];
  readonly filter: URLSearchParams;
  readonly nextCursor: Moment | null;
  /** Where the changes of this page begin; null for a page of older items, which gets none. */
  readonly position: PositionToken | null;
  /** The address of the API. */
  readonly url: string;
  /** What is wrong with the address. */
  readonly warnings: readonly string[];
  readonly demo: ComponentChildren;
};

export const FeedView = (props: FeedProps) => {
  const { viewer, items, now, limits, filter, nextCursor, position, url, warnings, demo } = props;
  const categories = [...new Set(items.flatMap(({ news_event: event }) => event.feed_categories))].toSorted();
  return (
    <Layout
      title="Feed"
      viewer={viewer}
      activePath={FEED_PATH}
      modules={['copy.js', 'market-suggestions.js', 'submit-on-change.js', 'feed.js']}
      demo={demo}
    >
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          <p>{warning}</p>
        </Notice>
      ))}
      <FilterForm filter={filter} categories={categories}>
        <FeedSamples url={url} filter={filter} />
      </FilterForm>
      <ActiveFilters filter={filter} />
      <LiveState />
      <section
        id="items"
        aria-label="Items"
        data-events={position === null ? undefined : `${FEED_PATH}/events?${filter}`}
        data-position={position ?? undefined}
      >
        {items.length === 0 && warnings.length === 0 && <NoItems filter={filter} />}
        {items.map((item) => (
          <FeedCard key={item.news_event.id} item={item} now={now} />
        ))}
      </section>
      {nextCursor !== null && (
        <p>
          <a class="button plain" href={feedPath(filter, nextCursor)}>
            Older items
          </a>
        </p>
      )}
      <p class="quiet">
        Each page view counts as one request. Requests left: {limits.map(remainingText).join(', ')}.
      </p>
    </Layout>
  );
};

/** Whether the page is live, and a button that shows what is new. A script fills both. */
const LiveState = () => (
  <div class="live">
    <p class="live-state" role="status" hidden />
    <p class="live-keys quiet" hidden>
      <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>o</kbd> unfold, <kbd>/</kbd> search
    </p>
    <div class="live-new" role="status">
      <button type="button" class="pill" hidden />
    </div>
  </div>
);

const NoItems = ({ filter }: { readonly filter: URLSearchParams }) => {
  const market = filter.get('market') ?? filter.get('market_id');
  if (filter.size === 0) return <p>No items yet.</p>;
  return (
    <p>
      No items match these filters.
      {market !== null && (
        <>
          {' '}
          If <code>{market}</code> is no market of the feed,{' '}
          <a href={marketsPath(market)}>find it among the markets</a>, or see{' '}
          <a href={marketPath({ kind: 'sub', marketId: market })}>its page</a>.
        </>
      )}
    </p>
  );
};

const remainingText = ({ policy, remaining }: Limit): string =>
  `${remaining.toLocaleString('en-US')} of ${policy.quota.toLocaleString('en-US')} ${windowText(policy.name)}`;
