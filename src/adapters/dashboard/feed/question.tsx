import type { SubMarket } from '../../../domain/feed/feed-item.js';
import { ownValue } from '../../../domain/own-value.js';
import { marketPath } from '../markets/market-paths.js';
import { cents, signed } from '../markets/price-text.js';
import { ExternalLink } from '../page/external-link.js';
import { codeText, inlineText, outcomeText } from './code-text.js';
import { shortened } from './shortened.js';

const CRITERIA_SHOWN = 200;

/** A sub-market in one line: what it asks, its asks, how it moved before the news, and what the news means for it. */
export const Question = ({ sub }: { readonly sub: SubMarket }) => {
  const { market_snapshot: snapshot, momentum, news_effect: effect } = sub;
  return (
    <li class="question">
      <div class="question-facts">
        <span class="question-title">
          <a href={marketPath({ kind: 'sub', marketId: sub.sub_market_id })}>{sub.sub_market_title}</a>{' '}
          <ExternalLink href={sub.market_url}>
            <span aria-hidden="true">↗</span>
            <span class="hidden">{sub.sub_market_title} at the venue</span>
          </ExternalLink>
        </span>
        <PriceBar snapshot={snapshot} />
        <span>Yes {cents(snapshot.yes_ask)}</span>
        <span>No {cents(snapshot.no_ask)}</span>
        <Move momentum={momentum} />
        <span>24h vol {Math.round(snapshot.volume_24h).toLocaleString('en-US')}</span>
        <Effect effect={effect} />
      </div>
      <details class="folded why">
        <summary>
          <span class="hidden">Why {sub.sub_market_title}: </span>
          {shortened(effect.rationale)}
        </summary>
        <p class="quiet">
          {codeText(effect.relevance_bucket)} relevance for this question. Momentum criteria{' '}
          {momentum.passed ? 'met' : 'not met'}: {shortened(momentum.criteria, CRITERIA_SHOWN)}
        </p>
      </details>
    </li>
  );
};

type Snapshot = Pick<SubMarket['market_snapshot'], 'yes_ask' | 'no_ask'>;

/** The probability of YES lies between what NO leaves and what YES costs. A spread of nothing is still to be seen. */
const PriceBar = ({ snapshot: { yes_ask, no_ask } }: { readonly snapshot: Snapshot }) => {
  const from = Math.min(99, Math.max(0, 100 * Math.min(1 - no_ask, yes_ask)));
  const width = Math.max(1, Math.min(100, 100 * yes_ask) - from);
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="6" />
      <rect class="spread" x={from.toFixed(1)} width={width.toFixed(1)} height="6" />
    </svg>
  );
};

/** `▲ +4.0 pp before`, the news; hollow if the criteria of the momentum are not met. Without a colour: it is not what the news did. */
const Move = ({ momentum: { pre_move_pp, passed } }: Pick<SubMarket, 'momentum'>) => {
  const direction = Math.sign(pre_move_pp);
  const arrows = passed ? (['▼', '•', '▲'] as const) : (['▽', '•', '△'] as const);
  return (
    <span class="quiet" title="How the price moved before the news">
      {arrows[direction + 1]} {signed(pre_move_pp)} pp before<span class="hidden"> the news</span>
    </span>
  );
};

/** Effects that have a direction for their outcome. New ones may appear (D12). */
const DIRECTIONS: Readonly<Record<string, -1 | 1>> = { supports: 1, weakens: -1 };

/** `▲ supports Yes`. What weakens NO is good for YES: the arrow is that of YES. */
const Effect = ({ effect: { effect, affected_outcome } }: { readonly effect: SubMarket['news_effect'] }) => {
  const forOutcome = ownValue(DIRECTIONS, effect) ?? 0;
  const direction = affected_outcome === 'NO' ? -forOutcome : forOutcome;
  const colour = direction === 0 ? 'flat' : direction > 0 ? 'up' : 'down';
  return (
    <span class={`effect ${colour}`}>
      {direction !== 0 && <span aria-hidden="true">{direction > 0 ? '▲ ' : '▼ '}</span>}
      {inlineText(effect)} {outcomeText(affected_outcome)}
    </span>
  );
};
