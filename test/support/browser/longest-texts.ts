import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import { REASON_LENGTH, type Reason } from '../../../src/domain/accounts/reason.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { LABEL_LENGTH, type Label } from '../../../src/domain/keys/label.js';
import { market, openInvoice, publication, subMarket } from '../objects/builders.js';
import { START } from '../service/composed.js';

/** The longest texts that pages may show: of the widest letter, and without a point where a line may break. */
export const wide = (length: number): string => 'W'.repeat(length);

export const LONG_LABEL = wide(LABEL_LENGTH.maximum) as Label;
export const LONG_REASON = wide(REASON_LENGTH.maximum) as Reason;
/** The processor documents no maximum length of its ids. */
export const LONG_ID = wide(255);
export const LONG_ISSUER = `https://${wide(250).toLowerCase()}`;

/** An address of 254 characters, distinct for each `name`. */
export const longEmail = (name: string): string =>
  `${name.padEnd(64, 'w')}@${[60, 60, 59].map((length) => wide(length).toLowerCase()).join('.')}.example`;

export const LONG_INVOICE = openInvoice({ id: `in_${LONG_ID}`, firstFailedAt: START });

export const longEvent = (number: number, fault: string | null): ReceivedEvent => ({
  ...{ id: `evt_${number}${LONG_ID}`, type: `${LONG_ID}.updated`, at: START, customer: `cus_${LONG_ID}` },
  ...{ link: null, fact: null, fault, payload: Buffer.from('{}') },
});

/** A feed item in which every text is long. */
export function longItem(): PublicationInput {
  const text = wide(700);
  const code = wide(60).toLowerCase();
  const [id, made] = [wide(200), publication({ id: wide(200) })];
  const { main_market, market_relationship } = market(id);
  const sub = subMarket(id);
  return {
    ...made,
    news_event: {
      ...made.news_event,
      ...{ headline: text, source_name: text, author: text, short_context: text },
      ...{ source_tier: code, feed_categories: [text, text], aggregate_event_relevance: { bucket: code } },
    },
    related_markets: [
      {
        main_market: { ...main_market, market_title: text },
        market_relationship: { ...market_relationship, bucket: code, summary: text },
        sub_markets: [
          {
            ...sub,
            sub_market_title: text,
            market_snapshot: { ...sub.market_snapshot, volume_24h: 123_456_789_012 },
            news_effect: {
              ...{ affected_outcome: wide(60), effect: code, relevance_bucket: code, rationale: text },
            },
          },
        ],
      },
    ],
  };
}
