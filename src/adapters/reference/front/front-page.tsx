import type { Plans } from '../../../domain/billing/plan.js';
import { PRODUCT } from '../../http/product.js';
import { sampleOf } from '../markdown.js';
import { PageFrame } from '../page-frame.js';
import { CodeTabs } from './code-tabs.js';
import { PlanCards } from './plan-cards.js';

type Props = {
  /** The card of an item, as HTML. */
  readonly card: string;
  /** Whether the card is that of the newest item, and a script replaces it by newer ones. */
  readonly isLive: boolean;
  /** Whether visitors can sign in with one click and see the whole feed. */
  readonly isDemo: boolean;
  readonly publicUrl: string;
  /** The public sandbox key (D138). */
  readonly publicKey: string;
  readonly plans: Plans;
  readonly hasCheckout: boolean;
  readonly support: string | undefined;
};

export const FrontPage = (props: Props) => {
  const { card, isLive, publicUrl, plans, hasCheckout, support } = props;
  return (
    <PageFrame
      title="Oddswire: news with its prediction markets"
      summary={PRODUCT}
      address={`${publicUrl}/`}
      modules={isLive ? ['copy.js', 'newest.js'] : ['copy.js']}
      styles={['front.css']}
      active="/"
      support={support}
    >
      <main id="content" class="front">
        <div class="fold">
          <Pitch {...props} />
          <div id="newest" dangerouslySetInnerHTML={{ __html: card }} />
        </div>
        <section aria-labelledby="ways">
          <h2 id="ways">Stream, poll or MCP</h2>
          <CodeTabs url={publicUrl} />
        </section>
        <section aria-labelledby="nothing-lost">
          <h2 id="nothing-lost">Nothing lost</h2>
          <ul>
            <li>
              Resume from any position, corrections and retractions included:{' '}
              <a href="/docs/following">how to follow the feed</a>.
            </li>
            <li>
              Every page again, as it was at a position or a time, and each change with the time at which it
              became known: <a href="/docs/history">history</a>. So you can measure the delay yourself.
            </li>
          </ul>
        </section>
        <section aria-labelledby="plans">
          <h2 id="plans">Plans</h2>
          <PlanCards plans={plans} terms={{ hasCheckout, support }} />
        </section>
      </main>
    </PageFrame>
  );
};

/** What the service is, and the way to a key. */
const Pitch = ({ isDemo, publicUrl, publicKey, plans }: Props) => (
  <div>
    <h1>Know which market the news moves. In under a second.</h1>
    <p class="lead">
      One API: each story with the prediction markets it affects, the price at that moment, the direction and
      the reason.
    </p>
    <p class="actions">
      <a class="button" href="/dashboard">
        Get a free key
      </a>
      {isDemo ? <a href="/dashboard/feed">See it live</a> : <a href="/docs">Read the quickstart</a>}
      <span class="quiet">
        {plans.free.requestsPerMinute.toLocaleString('en-US')} requests a minute, no card.
      </span>
    </p>
    <div
      dangerouslySetInnerHTML={{
        __html: sampleOf(`curl -H 'X-API-Key: ${publicKey}' '${publicUrl}/pm/v2/news?limit=1'`, 'sh', 'curl'),
      }}
    />
  </div>
);
