import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Example } from '../../support/client/example.js';
import { hasPython } from '../../support/client/python-client.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** What the feed says, in the order in which it becomes known. All are about one sub-market of `market`, or of `other`. */
type News = {
  readonly id: string;
  readonly ask: number;
  readonly categories: readonly string[];
  readonly effect?: string;
  readonly outcome?: string;
  readonly of?: string;
  readonly headline?: string;
};

const NEWS: readonly News[] = [
  // Known at 0.40. One can act at 0.50, the price of `b`, and sees 0.53, that of `c`: +3 pp.
  { id: 'a', ask: 0.4, categories: ['politics'] },
  // A later price of the same item is no price at which one could act.
  { id: 'a', ask: 0.9, categories: ['politics'] },
  // One can act at 0.53 and sees 0.60: −7 pp in the direction of NO.
  { id: 'b', ask: 0.5, categories: ['politics', 'sports'], outcome: 'NO' },
  // One can act at 0.60 and sees 0.58: +2 pp, because it weakens YES.
  { id: 'c', ask: 0.53, categories: ['sports'], effect: 'weakens' },
  { id: 'd', ask: 0.6, categories: ['weather'], effect: 'neutral' },
  // Without two later prices.
  { id: 'e', ask: 0.58, categories: ['weather'] },
  { id: 'f', ask: 0.1, categories: ['weather'], of: 'other' },
  // A correction of the headline of `g` repeats its price of before `h`: that is no price at which one could act.
  { id: 'g', ask: 0.4, categories: ['weather'], of: 'corrected', effect: 'neutral' },
  { id: 'h', ask: 0.6, categories: ['weather'], of: 'corrected' },
  { id: 'g', ask: 0.4, categories: ['weather'], of: 'corrected', effect: 'neutral', headline: 'Corrected' },
  { id: 'i', ask: 0.61, categories: ['weather'], of: 'corrected', effect: 'neutral' },
];

describe('The notebook about prices after news', function () {
  this.timeout(60_000);
  let service: Service;
  let key: string;
  const example = new Example();

  before(async function () {
    if (!hasPython) this.skip(); // This machine has no command python3.
    service = await startService();
    const client = await Client.of(service);
    ({ key } = await aKey(client));
    for (const { id, ask, categories, ...optional } of NEWS) {
      const {
        effect = 'supports',
        outcome = 'YES',
        of = 'market',
        headline = `Headline of ${id}`,
      } = optional;
      const { market_snapshot, news_effect, ...sub } = subMarket(`sub-of-${of}`);
      const related = market(of, {
        ...sub,
        market_snapshot: { ...market_snapshot, yes_ask: ask },
        news_effect: { ...news_effect, effect, affected_outcome: outcome },
      });
      const { news_event, ...rest } = publication({ id, related_markets: [related] });
      await publishAll(client, [
        { ...rest, news_event: { ...news_event, headline, feed_categories: [...categories] } },
      ]);
      // So that the next item is scored after this one was known.
      await setTimeout(5);
    }
  });
  after(async () => {
    await example.remove();
    await service?.stop();
  });

  it('counts only prices at which one could have acted, for each category', async () => {
    example.start('prices_after_news.py', { url: service.instances[0]?.url ?? '', key });
    expect([await example.ended(), example.errors]).to.deep.equal([0, '']);
    expect(example.lines.map((line) => line.replaceAll(/ +/g, ' '))).to.deep.equal([
      '3 of 6 news have two later prices',
      'politics 2 -2.0 pp',
      'sports 2 -2.5 pp',
    ]);
  });
});
