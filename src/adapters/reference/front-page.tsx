import type { Plans } from '../../domain/billing/plan.js';
import type { FeedItem, SubMarket } from '../../domain/feed/feed-item.js';
import { parseMoment } from '../../domain/moment.js';
import { ownValue } from '../../domain/own-value.js';
import { codeText, inlineText, outcomeText } from '../dashboard/feed/code-text.js';
import { AtOr } from '../dashboard/page/moment.js';
import { AUTHORSHIP, PRODUCT } from '../http/product.js';
import { renderMarkdown } from './markdown.js';
import { PageFrame } from './page-frame.js';
import { Doors } from './service-doors.js';
import { planTable, planTerms } from './tables/plans.js';

type Props = {
  readonly item: FeedItem;
  /** Whether the item is from the sample feed, whose stories are invented. */
  readonly isSample: boolean;
  readonly publicUrl: string;
  readonly keyPrefix: string;
  readonly plans: Plans;
  /** Whether account holders can pay for a plan in the dashboard. */
  readonly hasCheckout: boolean;
  readonly support: string | undefined;
};

export const FrontPage = ({ item, isSample, publicUrl, keyPrefix, plans, hasCheckout, support }: Props) => (
  <PageFrame
    title="Oddswire: news with its prediction markets"
    summary={PRODUCT}
    address={`${publicUrl}/`}
    modules={['copy.js']}
    active="/"
    support={support}
  >
    <main id="content" class="front">
      <h1>Know which market the news moves</h1>
      <p class="lead">
        One API: each story with the prediction markets it affects, the price at that moment, the direction
        and the reason.
      </p>
      <p class="actions">
        <a class="button" href="/dashboard">
          Get a free key
        </a>
        <a href="/docs">Read the quickstart</a>
        <span class="quiet">
          {plans.free.requestsPerMinute.toLocaleString('en-US')} requests a minute, no card.
        </span>
      </p>
      <Story item={item} isSample={isSample} />
      <p>{AUTHORSHIP}</p>
      <Request publicUrl={publicUrl} keyPrefix={keyPrefix} />
      <PlanSection plans={plans} hasCheckout={hasCheckout} />
      <Doors />
    </main>
  </PageFrame>
);

const Request = ({ publicUrl, keyPrefix }: Pick<Props, 'publicUrl' | 'keyPrefix'>) => (
  <section aria-labelledby="request">
    <h2 id="request">Read it with one request</h2>
    <p>With your own key in place of {`${keyPrefix}…`}:</p>
    <figure class="sample">
      <figcaption>
        curl
        <button type="button" class="plain" data-copies="curl" aria-label="Copy command" hidden>
          Copy
        </button>
      </figcaption>
      <pre>
        <code id="curl">{`curl -H 'X-API-Key: ${keyPrefix}…' '${publicUrl}/pm/v2/news?limit=1'`}</code>
      </pre>
    </figure>
  </section>
);

const PlanSection = ({ plans, hasCheckout }: Pick<Props, 'plans' | 'hasCheckout'>) => (
  <section aria-labelledby="plans">
    <h2 id="plans">Plans</h2>
    <p>{planTerms(hasCheckout)}</p>
    <div class="plans" dangerouslySetInnerHTML={{ __html: renderMarkdown(planTable(plans)).html }} />
  </section>
);

/** The badge of each effect. New effects may appear (D12). */
const EFFECT_BADGES: Readonly<Record<string, string>> = { supports: 'good', weakens: 'bad' };

const TEXT_SHOWN = 400;
const shortened = (text: string): string =>
  text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}…` : text;

/** A story with its first market, as the feed has it. */
const Story = ({ item, isSample }: Pick<Props, 'item' | 'isSample'>) => {
  const { news_event: event, related_markets: markets } = item;
  const [market] = markets;
  const [sub] = market?.sub_markets ?? [];
  return (
    <article class="story" aria-labelledby="headline">
      <p class="kicker">{isSample ? 'An invented example' : 'The newest item'}</p>
      <h2 id="headline">{shortened(event.headline)}</h2>
      <p class="quiet">
        {event.source_name}
        {!isSample && (
          <>
            {' · '}
            <AtOr at={parseMoment(event.source_published_at) ?? null} none="" />
          </>
        )}{' '}
        · {codeText(event.aggregate_event_relevance.bucket)} relevance for its markets
      </p>
      {market !== undefined && sub !== undefined && (
        <div class="market">
          <h3>{shortened(sub.sub_market_title)}</h3>
          <p class="quiet">Price to buy a share when the item was scored</p>
          <p class="odds">
            <span>
              Yes <b>{cents(sub.market_snapshot.yes_ask)}</b>
            </span>
            <span>
              No <b>{cents(sub.market_snapshot.no_ask)}</b>
            </span>
            <span class={`badge ${ownValue(EFFECT_BADGES, sub.news_effect.effect) ?? 'off'}`}>
              {effectText(sub.news_effect)}
            </span>
          </p>
          <p>{shortened(sub.news_effect.rationale)}</p>
        </div>
      )}
    </article>
  );
};

/** The effect as a sentence, or the codes of the publisher. New effects may appear (D12). */
function effectText({ effect, affected_outcome }: SubMarket['news_effect']): string {
  const outcome = outcomeText(affected_outcome);
  const change = ownValue(EFFECT_CHANGES, effect);
  return change === undefined
    ? `${codeText(effect)} ${inlineText(outcome)}`
    : `The news ${change.replace('…', outcome)}`;
}

const EFFECT_CHANGES: Readonly<Record<string, string>> = {
  supports: 'makes … more likely',
  weakens: 'makes … less likely',
};

const cents = (price: number): string => `${(price * 100).toFixed(1)}¢`;
