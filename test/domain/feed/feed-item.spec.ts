import { expect } from 'chai';
import fc from 'fast-check';
import {
  META,
  type PublicationInput,
  readPublication,
  withSubMarkets,
} from '../../../src/domain/feed/feed-item.js';
import { MICROSECOND, plus, SECOND } from '../../../src/domain/moment.js';
import {
  accepted,
  market,
  NOON,
  type PublicationParts,
  publication,
  runs,
  subMarket,
} from '../../support/objects/builders.js';

const read = (parts: PublicationParts = {}) =>
  accepted(readPublication(publication(parts), NOON, 'backfill'));

const faultsOf = (input: PublicationInput) => {
  const answer = readPublication(input, NOON, 'backfill');
  return 'refused' in answer ? answer.faults.map(({ parameter, code }) => `${parameter} ${code}`) : [];
};

describe('The `scored_at` of a publication (D6)', () => {
  it('is the latest of the item’s own and those of its sub-markets, in any position (contract section 2.10, D6)', () => {
    const times = ['2026-03-01T10:00:00Z', '2026-03-01T11:59:59.999999Z', '2026-03-01T09:00:00Z'] as const;
    for (const [own, first, second] of [
      [times[1], times[0], times[2]],
      [times[0], times[1], times[2]],
      [times[2], times[0], times[1]],
    ] as const) {
      const related_markets = [market('m1', subMarket('s1', first)), market('m2', subMarket('s2', second))];
      expect(read({ scored_at: own, related_markets }).scoredAt).to.equal('2026-03-01T11:59:59.999999Z');
    }
  });

  it('is compared as an instant, not as text: offsets count (D4, D6)', () => {
    const related_markets = [market('m1', subMarket('s1', '2026-03-01T12:30:00+02:00'))];
    expect(read({ scored_at: '2026-03-01T11:00:00Z', related_markets }).scoredAt).to.equal(
      '2026-03-01T11:00:00.000000Z',
    );
  });

  it('is that of a sub-market if the item has none of its own (D30)', () => {
    const related_markets = [market('m1', subMarket('s1'), subMarket('s2', '2026-03-01T10:00:00Z'))];
    expect(read({ related_markets }).scoredAt).to.equal('2026-03-01T10:00:00.000000Z');
  });

  it('is the time of publication if there is none, with or without markets (D30)', () => {
    expect(read().scoredAt).to.equal(NOON);
    expect(read({ related_markets: [] }).scoredAt).to.equal(NOON);
  });

  it('may be 5 seconds ahead of the clock and not a microsecond more, on the item or a sub-market (D7)', () => {
    const bound = plus(NOON, 5 * SECOND);
    const beyond = plus(bound, MICROSECOND);
    expect(read({ scored_at: bound }).scoredAt).to.equal(bound);
    const fault = ['/scored_at scored_at_in_future'];
    expect(faultsOf(publication({ scored_at: beyond }))).to.deep.equal(fault);
    expect(faultsOf(publication({ related_markets: [market('m1', subMarket('s1', beyond))] }))).to.deep.equal(
      fault,
    );
  });

  it('is rounded up before it is compared with the clock (D4, D7)', () => {
    expect(faultsOf(publication({ scored_at: '2026-03-01T12:00:05.0000001Z' }))).to.deep.equal([
      '/scored_at scored_at_in_future',
    ]);
  });

  it('is the greatest, whatever the number and order of times (D6)', () => {
    const offsets = fc.array(fc.integer({ min: -1_000, max: 5_000_000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(offsets, fc.boolean(), (some, ownToo) => {
        const times = some.map((offset) => plus(NOON, offset));
        const subs = times.map((at, i) => subMarket(`s${i}`, at));
        const own = ownToo && times[0] !== undefined ? { scored_at: times[0] } : {};
        expect(read({ ...own, related_markets: [market('m1', ...subs)] }).scoredAt).to.equal(
          plus(NOON, Math.max(...some)),
        );
      }),
      runs(100),
    );
  });
});

describe('A publication that is accepted (D41)', () => {
  it('becomes an item with the constant `meta` (contract section 2.2, D10)', () => {
    const { item } = read();
    expect(item.meta).to.deep.equal({
      content_type: 'event_driven_market_intelligence',
      not_investment_advice: true,
      not_trading_signal: true,
    });
    expect(META).to.equal(item.meta);
  });

  it('keeps everything else unchanged, and no `scored_at` in the body (contract section 2.10)', () => {
    const related_markets = [
      market('m1', subMarket('s1', '2026-03-01T10:00:00Z')),
      market('m2', subMarket('s2')),
    ];
    const input = publication({ scored_at: '2026-03-01T10:00:00Z', related_markets });
    const { item } = accepted(readPublication(input, NOON, 'backfill'));
    expect(item).to.have.all.keys('news_event', 'related_markets', 'meta');
    expect(item.related_markets).to.deep.equal([
      market('m1', subMarket('s1')),
      market('m2', subMarket('s2')),
    ]);
    expect(JSON.stringify(item)).to.not.include('scored_at');
    const { endpoint_published_at, source_published_at, ...event } = item.news_event;
    const { source_published_at: _, ...sent } = input.news_event;
    expect(event).to.deep.equal(sent);
    expect([source_published_at, endpoint_published_at]).to.deep.equal(['2026-03-01T11:00:00.000000Z', NOON]);
  });

  it('has its times in the format of D3, from any format of D4 (D41)', () => {
    const { item } = read({
      source_published_at: '2026-03-01t12:00:00.5+01:30',
      endpoint_published_at: '2026-02-28',
    });
    expect(item.news_event.source_published_at).to.equal('2026-03-01T10:30:00.500000Z');
    expect(item.news_event.endpoint_published_at).to.equal('2026-02-28T00:00:00.000000Z');
  });

  it('was published at the time of the clock, if it has no time of its own (D41)', () => {
    expect(read().item.news_event.endpoint_published_at).to.equal(NOON);
  });

  it('has its id and the id of every sub-market (contract section 4)', () => {
    const related_markets = [market('m1', subMarket('s1'), subMarket('s2')), market('m2', subMarket('s3'))];
    const taken = read({ id: 'ne_7', related_markets });
    expect(taken.id).to.equal('ne_7');
    expect(taken.subMarketIds).to.deep.equal(['s1', 's2', 's3']);
  });

  it('does not change the input', () => {
    const input = publication({ scored_at: '2026-03-01T10:00:00Z' });
    const before = structuredClone(input);
    readPublication(input, NOON, 'backfill');
    expect(input).to.deep.equal(before);
  });
});

describe('A publication that is refused (D41)', () => {
  it('lists each invalid time, by its path (D4, D41)', () => {
    const input = publication({
      scored_at: 'soon',
      source_published_at: '2026-02-31T00:00:00Z',
      endpoint_published_at: '1769860800',
      related_markets: [market('m1', subMarket('s1'), subMarket('s2', '2026-03-01T24:00:00Z'))],
    });
    expect(faultsOf(input)).to.have.members([
      '/scored_at invalid_date_time',
      '/news_event/source_published_at invalid_date_time',
      '/news_event/endpoint_published_at invalid_date_time',
      '/related_markets/0/sub_markets/1/scored_at invalid_date_time',
    ]);
  });

  it('lists each repetition of a sub-market, in one market or in two (D41)', () => {
    expect(
      faultsOf(publication({ related_markets: [market('m1', subMarket('s1'), subMarket('s1'))] })),
    ).to.deep.equal(['/related_markets/0/sub_markets/1/sub_market_id repeated_sub_market']);
    const related_markets = [
      market('m1', subMarket('s1'), subMarket('s2')),
      market('m2', subMarket('s2'), subMarket('s3'), subMarket('s1')),
    ];
    expect(faultsOf(publication({ related_markets }))).to.deep.equal([
      '/related_markets/1/sub_markets/0/sub_market_id repeated_sub_market',
      '/related_markets/1/sub_markets/2/sub_market_id repeated_sub_market',
    ]);
  });

  it('lists all its faults at once (D41)', () => {
    const input = publication({
      scored_at: '2026-03-02T12:00:00Z',
      source_published_at: '',
      related_markets: [market('m1', subMarket('s1', 'x'), subMarket('s1'))],
    });
    expect(faultsOf(input)).to.have.members([
      '/news_event/source_published_at invalid_date_time',
      '/scored_at scored_at_in_future',
      '/related_markets/0/sub_markets/0/scored_at invalid_date_time',
      '/related_markets/0/sub_markets/1/sub_market_id repeated_sub_market',
    ]);
  });

  it('is not refused for a sub-market that another item has', () => {
    expect(faultsOf(publication({ id: 'ne_1' }))).to.deep.equal([]);
    expect(faultsOf(publication({ id: 'ne_2' }))).to.deep.equal([]);
  });
});

describe('An item under the filter `market_id` (D9)', () => {
  const { item } = read({
    related_markets: [
      market('m1', subMarket('s1'), subMarket('s2')),
      market('m2', subMarket('s3'), subMarket('s4'), subMarket('s5')),
    ],
  });

  it('shows the one main market of the sub-market, with only that sub-market (D9)', () => {
    expect(withSubMarkets(item, ['s4']).related_markets).to.deep.equal([market('m2', subMarket('s4'))]);
    expect(withSubMarkets(item, ['s1']).related_markets).to.deep.equal([market('m1', subMarket('s1'))]);
  });

  it('keeps its event and its `meta` (D9)', () => {
    const { news_event, meta } = withSubMarkets(item, ['s4']);
    expect(news_event).to.deep.equal(item.news_event);
    expect(meta).to.deep.equal(META);
  });

  it('is found by the id of a sub-market, not by that of a main market or a part of an id (contract section 4)', () => {
    for (const id of ['m1', 's', 'S1', 's1 ', ''])
      expect(withSubMarkets(item, [id]).related_markets).to.deep.equal([]);
  });

  it('does not change the item itself', () => {
    withSubMarkets(item, ['s4']);
    expect(item.related_markets.flatMap((each) => each.sub_markets)).to.have.length(5);
  });
});
