import type { ComponentChildren } from 'preact';
import type { FeedItem, SubMarket } from '../../../domain/feed/feed-item.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { ownValue } from '../../../domain/own-value.js';
import { marketPath } from '../markets/market-paths.js';
import { ExternalLink } from '../page/external-link.js';
import { Ago } from '../page/moment.js';
import { codeText, inlineText, tierText } from './code-text.js';
import { feedPathFor } from './feed-address.js';
import { Question } from './question.js';
import { shortened } from './shortened.js';

/** Limits per item, so that a page stays small. Few items have more. */
const MARKETS_SHOWN = 5;
const SUB_MARKETS_SHOWN = 10;
/** Questions above the fold of a card. */
const QUESTIONS_OPEN = 2;
const CATEGORIES_SHOWN = 5;
/** Of a headline in the name of a link. */
const NAME_SHOWN = 80;
type CardProps = {
  readonly item: FeedItem;
  readonly now: Moment;
  /** Of the dot in the chart of a market that stands for this item. */
  readonly number?: number | null;
};

export const cardId = (number: number): string => `item-${number}`;

/** An item with the questions that it bears on: the first two at once, the others unfold. */
export const FeedCard = ({ item, now, number = null }: CardProps) => {
  const { news_event: event, related_markets: markets } = item;
  const questions = markets
    .slice(0, MARKETS_SHOWN)
    .flatMap(({ sub_markets }) => sub_markets.slice(0, SUB_MARKETS_SHOWN));
  const [open, folded] = [questions.slice(0, QUESTIONS_OPEN), questions.slice(QUESTIONS_OPEN)];
  return (
    <article
      class="card"
      id={number === null ? undefined : cardId(number)}
      data-item={event.id}
      tabIndex={-1}
    >
      <CardFacts event={event} now={now} number={number} />
      <h2 class="headline">
        <ExternalLink href={event.source_news_url}>{shortened(event.headline)}</ExternalLink>
      </h2>
      <p class="quiet">{shortened(event.short_context)}</p>
      {open.length > 0 && <Questions of={open} />}
      <div class="card-foot">
        {folded.length > 0 && (
          <Folded summary={`${folded.length} more ${folded.length === 1 ? 'question' : 'questions'}`}>
            <Questions of={folded} />
          </Folded>
        )}
        <Context event={event} />
        <Relations markets={markets} />
        <Asks questions={questions} />
      </div>
    </article>
  );
};

type FactsProps = EventProps & { readonly now: Moment; readonly number: number | null };

const CardFacts = ({ event, now, number }: FactsProps) => (
  <p class="card-facts">
    {number !== null && <b>{number}</b>}
    <span class={`tier${TIERS.has(event.source_tier) ? ` tier-${event.source_tier}` : ''}`}>
      {tierText(event.source_tier)}
    </span>
    <span>
      <ExternalLink href={event.source_url}>{event.source_name}</ExternalLink>
      {event.author !== null && `, ${event.author}`}
    </span>
    <Ago at={parseMoment(event.endpoint_published_at) ?? null} now={now} none="" />
    <Relevance bucket={event.aggregate_event_relevance.bucket} />
    {event.feed_categories.slice(0, CATEGORIES_SHOWN).map((category) => (
      <a key={category} href={feedPathFor({ category })}>
        {codeText(category)}
      </a>
    ))}
    <a class="card-link" href={feedPathFor({ news_id: event.id })}>
      Link<span class="hidden"> to {shortened(event.headline, NAME_SHOWN)}</span>
    </a>
  </p>
);

/** Of three dots, those that a relevance fills. New ones may appear (D12). */
const DOTS: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3 };

const Relevance = ({ bucket }: { readonly bucket: string }) => {
  const filled = ownValue(DOTS, bucket);
  return (
    <span>
      {filled !== undefined && (
        <span class="dots" aria-hidden="true">
          {'●'.repeat(filled)}
          {'○'.repeat(3 - filled)}{' '}
        </span>
      )}
      {codeText(bucket)} relevance
    </span>
  );
};

const Folded = ({
  summary,
  children,
}: {
  readonly summary: string;
  readonly children: ComponentChildren;
}) => (
  <details class="folded">
    <summary>{summary}</summary>
    {children}
  </details>
);

const Context = ({ event: { short_context: short, long_context: long } }: EventProps) =>
  long.trim() === '' || long === short ? null : (
    <Folded summary="Context">
      <p>{shortened(long)}</p>
    </Folded>
  );

type EventProps = { readonly event: FeedItem['news_event'] };

/** Tiers that have a look of their own. */
const TIERS: ReadonlySet<string> = new Set(['t1', 't3']);

const Questions = ({ of }: { readonly of: readonly SubMarket[] }) => (
  <ul class="questions">
    {of.map((sub) => (
      <Question key={sub.sub_market_id} sub={sub} />
    ))}
  </ul>
);

/** Why the item bears on its markets, and what the page leaves out. */
const Relations = ({ markets }: { readonly markets: FeedItem['related_markets'] }) => (
  <Folded summary="Why these markets">
    {markets.slice(0, MARKETS_SHOWN).map(({ main_market, market_relationship, sub_markets }) => (
      <p key={main_market.market_id}>
        <a href={marketPath({ kind: 'main', marketId: main_market.market_id })}>{main_market.market_title}</a>
        : {inlineText(market_relationship.bucket)} relevance. {shortened(market_relationship.summary)}
        <More count={sub_markets.length - SUB_MARKETS_SHOWN} of="sub-markets" />
      </p>
    ))}
    <More count={markets.length - MARKETS_SHOWN} of="markets" />
  </Folded>
);

const More = ({ count, of }: { readonly count: number; readonly of: string }) =>
  count > 0 ? (
    <span class="quiet">
      {' '}
      {count} more {of}. The API returns all of them.
    </span>
  ) : null;

/** The asks are those of the time when the item was scored, and were then this old. */
const Asks = ({ questions }: { readonly questions: readonly SubMarket[] }) => {
  const ages = questions.flatMap(
    ({ market_snapshot: { yes_tick_age_seconds: yes, no_tick_age_seconds: no } }) => [yes, no],
  );
  const note = questions[0]?.market_snapshot.note;
  return ages.length === 0 ? null : (
    <p title={note === undefined ? undefined : shortened(note)}>
      Asks when the item was scored, at most {Math.round(Math.max(...ages))} s old
    </p>
  );
};
