import type { ComponentChildren } from 'preact';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { newDestinationPath } from '../destinations/destination-page.js';
import { marketPath } from '../markets/market-paths.js';
import { MarketSearch } from '../markets/market-search.js';
import { Layout } from '../page/layout.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { windowText } from './code-text.js';
import { FeedCard } from './feed-card.js';

type FeedProps = {
  readonly viewer: Viewer;
  readonly items: readonly FeedItem[];
  readonly now: Moment;
  /** What remains of the limits after this page view. */
  readonly limits: readonly Limit[];
  readonly marketId: string | null;
  readonly nextCursor: Moment | null;
  /** A command that requests the same items from the API. */
  readonly curl: string;
  /** Why the address does not lead to the page that it names. */
  readonly warning: string | null;
  readonly demo: ComponentChildren;
};

export const FeedView = ({
  viewer,
  items,
  now,
  limits,
  marketId,
  nextCursor,
  curl,
  warning,
  demo,
}: FeedProps) => (
  <Layout
    title="Feed"
    viewer={viewer}
    activePath="/dashboard/feed"
    modules={['copy.js', 'market-suggestions.js']}
    demo={demo}
  >
    {warning !== null && (
      <Notice kind="warning">
        <p>{warning}</p>
      </Notice>
    )}
    <p class="quiet">
      Each page view counts as one request. Requests left: {limits.map(remainingText).join(', ')}.
    </p>
    <MarketSearch text="" />
    {marketId !== null && <Narrowed marketId={marketId} />}
    <CurlCommand curl={curl} />
    {items.length === 0 && <p>No items{marketId === null ? ' yet' : ' for this sub-market'}.</p>}
    {items.map((item) => (
      <FeedCard key={item.news_event.id} item={item} now={now} />
    ))}
    {nextCursor !== null && (
      <p>
        <a class="button" href={feedPath(marketId, nextCursor)}>
          Older items
        </a>
      </p>
    )}
  </Layout>
);

const Narrowed = ({ marketId }: { readonly marketId: string }) => (
  <p>
    Only items of the sub-market{' '}
    <a href={marketPath({ kind: 'sub', marketId })}>
      <code>{marketId}</code>
    </a>
    . <a href="/dashboard/feed">Show all items</a> ·{' '}
    <a href={newDestinationPath({ market_id: marketId })}>Destination for this</a>
  </p>
);

const CurlCommand = ({ curl }: { readonly curl: string }) => (
  <details>
    <summary>Show as curl command</summary>
    <div class="copyable">
      <code id="curl">{curl}</code>
      <button type="button" data-copies="curl" hidden>
        Copy curl command
      </button>
    </div>
  </details>
);

const remainingText = ({ policy, remaining }: Limit): string =>
  `${remaining.toLocaleString('en-US')} of ${policy.quota.toLocaleString('en-US')} ${windowText(policy.name)}`;

/** The address of a page of the feed. */
function feedPath(marketId: string | null, cursor: string | null): string {
  const query = new URLSearchParams({
    ...(marketId !== null && { market: marketId }),
    ...(cursor !== null && { cursor }),
  });
  return query.size === 0 ? '/dashboard/feed' : `/dashboard/feed?${query}`;
}
