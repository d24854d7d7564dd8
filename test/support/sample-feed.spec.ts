import { expect } from 'chai';
import { type PublicationInput, readPublication } from '../../src/domain/feed/feed-item.js';
import { DAY, plus } from '../../src/domain/moment.js';
import { accepted, NOON } from './objects/builders.js';
import { sampleFeed, samplePublication } from './sample/sample-feed.js';

const COUNT = 2_000;

const subMarketsOf = ({ related_markets }: PublicationInput) =>
  related_markets.flatMap(({ sub_markets }) => sub_markets);

describe('The sample feed', () => {
  const feed = sampleFeed(COUNT, NOON);

  it('is the same for the same number and time', () => {
    expect(sampleFeed(COUNT, NOON)).to.deep.equal(feed);
    expect(samplePublication(7, NOON)).to.deep.equal(samplePublication(7, NOON));
    expect(samplePublication(7, NOON)).not.to.deep.equal(samplePublication(8, NOON));
  });

  it('has the same story at every time', () => {
    const { headline, author } = samplePublication(7, NOON).news_event;
    expect(samplePublication(7, plus(NOON, DAY)).news_event).to.include({ headline, author });
  });

  it('contains only publications that the service accepts with their own times (D6, D41)', () => {
    for (const input of feed) {
      expect(accepted(readPublication(input, NOON, 'backfill')).scoredAt).to.equal(input.scored_at);
    }
  });

  it('has items of 2 to 8 KB', () => {
    const sizes = Array.from({ length: COUNT }, (_, n) => {
      const { item } = accepted(readPublication(samplePublication(n, NOON), NOON, 'backfill'));
      return Buffer.byteLength(JSON.stringify(item));
    });
    expect(Math.min(...sizes)).to.be.at.least(2_048);
    expect(Math.max(...sizes)).to.be.at.most(8_000);
  });

  it('has a unique id for every item, and is sorted from the oldest to the newest', () => {
    expect(new Set(feed.map(({ news_event }) => news_event.id))).to.have.property('size', COUNT);
    const times = feed.map(({ scored_at = '' }) => scored_at);
    expect(times).to.deep.equal([...new Set(times)].sort());
    expect((times.at(-1) ?? '') < NOON).to.equal(true);
    expect((times.at(0) ?? '') < plus(NOON, -6 * DAY)).to.equal(true);
  });

  it('has consistent times in each item', () => {
    for (const { news_event, scored_at = '', related_markets } of feed) {
      const { source_published_at, endpoint_published_at = '' } = news_event;
      expect(source_published_at < endpoint_published_at, news_event.id).to.equal(true);
      expect(endpoint_published_at <= scored_at, news_event.id).to.equal(true);
      for (const { sub_markets } of related_markets) {
        expect(sub_markets.every((sub) => (sub.scored_at ?? '') <= scored_at)).to.equal(true);
      }
    }
  });

  it('gives each item one to three markets, each with one to four sub-markets', () => {
    const counts = (of: (input: PublicationInput) => readonly number[]) =>
      [...new Set(feed.flatMap((input) => of(input)))].sort();
    expect(counts(({ related_markets }) => [related_markets.length])).to.deep.equal([1, 2, 3]);
    expect(
      counts(({ related_markets }) => related_markets.map(({ sub_markets }) => sub_markets.length)),
    ).to.deep.equal([1, 2, 3, 4]);
  });

  it('repeats every sub-market many times, with the same tokens', () => {
    const seen = new Map<string, string[]>();
    for (const { sub_market_id, outcomes } of feed.flatMap(subMarketsOf)) {
      seen.set(sub_market_id, [...(seen.get(sub_market_id) ?? []), JSON.stringify(outcomes)]);
    }
    expect(Math.min(...[...seen.values()].map(({ length }) => length))).to.be.at.least(20);
    expect([...seen.values()].every((tokens) => new Set(tokens).size === 1)).to.equal(true);
  });

  it('has ask prices between 0 and 1 whose sum is slightly above 1', () => {
    for (const { market_snapshot } of feed.flatMap(subMarketsOf)) {
      const { yes_ask, no_ask } = market_snapshot;
      expect(Math.min(yes_ask, no_ask)).to.be.at.least(0.01);
      expect(Math.max(yes_ask, no_ask)).to.be.at.most(0.99);
      expect(yes_ask + no_ask).to.be.within(1.001, 1.04);
    }
  });

  it('has every nullable field both with null and with a value (contract section 2)', () => {
    const events = feed.map(({ news_event }) => news_event);
    for (const field of ['source_news_url', 'source_url', 'author'] as const) {
      expect(new Set(events.map((event) => event[field] === null)).size, field).to.equal(2);
    }
    const tokens = feed.flatMap(subMarketsOf).map(({ outcomes }) => outcomes.yes.token_id === null);
    expect(new Set(tokens).size).to.equal(2);
  });
});
