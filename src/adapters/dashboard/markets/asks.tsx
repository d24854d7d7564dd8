import type { SubMarket } from '../../../domain/feed/feed-item.js';
import { cents } from './price-text.js';

/** What a share of each outcome costs. */
export const Asks = ({
  snapshot: { yes_ask, no_ask },
}: {
  readonly snapshot: Pick<SubMarket['market_snapshot'], 'yes_ask' | 'no_ask'>;
}) => (
  <>
    <span>
      Yes ask <b>{cents(yes_ask)}</b>
    </span>
    <span>
      No ask <b>{cents(no_ask)}</b>
    </span>
  </>
);
