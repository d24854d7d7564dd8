import { expect } from 'chai';
import fc from 'fast-check';
import type { PublishMode } from '../../../src/domain/feed/assign-scored-at.js';
import {
  judgePublications,
  NOT_BACKFILL,
  type OfferedItem,
  versionsAfter,
} from '../../../src/domain/feed/publication-outcome.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

type Offer = Partial<OfferedItem> & { readonly headline?: string; readonly published?: string };

const body = (headline: string, endpoint_published_at: string) =>
  Buffer.from(JSON.stringify({ news_event: { headline, endpoint_published_at }, meta: {} }));

const item = ({ headline = 'old', published = 'first', ...parts }: Offer = {}): OfferedItem => ({
  id: 'a',
  mode: 'live',
  scoredAt: NOON,
  json: body(headline, published),
  ...parts,
});

const stored = new Map([['a', item()]]);
const outcomes = (...offers: Offer[]) =>
  judgePublications(offers.map(item), stored).map(({ outcome }) => outcome);

describe('What becomes of a publication (D11)', () => {
  const later = plus(NOON, SECOND);
  const earlier = plus(NOON, -SECOND);

  // biome-ignore format: a table is read by its columns
  const CASES: readonly (readonly [title: string, offer: Offer, live: string, backfill: string])[] = [
    ['an id that is not in the feed', { id: 'b' }, 'accepted', 'accepted'],
    ['the same body and time', {}, 'unchanged', 'unchanged'],
    ['the same body, published at another time', { published: 'second' }, 'unchanged', 'unchanged'],
    ['the same body and an earlier time', { scoredAt: earlier }, 'unchanged', 'unchanged'],
    ['the same body and a later time', { scoredAt: later }, 'accepted', 'not_backfill'],
    ['the same body, without a time', { scoredAt: later, isScoredNow: true }, 'unchanged', 'unchanged'],
    ['another body', { headline: 'new' }, 'accepted', 'not_backfill'],
    ['another body and a later time', { headline: 'new', scoredAt: later }, 'accepted', 'not_backfill'],
  ];
  for (const [title, offer, live, backfill] of CASES) {
    it(`is ${live} in live mode and ${backfill} in backfill mode for ${title}`, () => {
      expect(outcomes({ ...offer, mode: 'live' })).to.deep.equal([live]);
      expect(outcomes({ ...offer, mode: 'backfill' })).to.deep.equal([backfill]);
    });
  }

  it('is judged in the order of the batch: a second equal one is unchanged', () => {
    expect(outcomes({ headline: 'new' }, { headline: 'new' }, {})).to.deep.equal([
      'accepted',
      'unchanged',
      'accepted',
    ]);
    expect(
      outcomes({ id: 'b', mode: 'backfill' }, { id: 'b', mode: 'backfill', headline: 'x' }),
    ).to.deep.equal(['accepted', 'not_backfill']);
  });

  it('keeps the time at which the item was first published (D41)', () => {
    const [judged] = judgePublications([item({ headline: 'new', published: 'second' })], stored);
    expect(judged?.item.json.toString()).to.equal(body('new', 'first').toString());
  });

  it('keeps that time whatever the texts of the item are', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constant('"endpoint_published_at":"then"'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, text, (before, headline) => {
        const versions = new Map([['a', item({ headline: before, scoredAt: earlier })]]);
        const [judged] = judgePublications([item({ headline, published: 'second' })], versions);
        expect(`${judged?.item.json}`).to.equal(`${body(headline, 'first')}`);
      }),
      runs(200),
    );
  });

  it('replaces an item that another version stored in another form', () => {
    const odd = new Map([['a', { scoredAt: NOON, json: Buffer.from('{}') }]]);
    const [judged] = judgePublications([item()], odd);
    expect([judged?.outcome, judged?.item.json.toString()]).to.deep.equal(['accepted', `${item().json}`]);
  });

  it('states what to do about an item that a backfill cannot replace', () => {
    expect(NOT_BACKFILL.message).to.include('mode=live');
  });
});

describe('The versions that are in the feed after a batch', () => {
  const offers = fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b'),
      headline: fc.constantFrom('old', 'new'),
      mode: fc.constantFrom<PublishMode>('live', 'backfill'),
      seconds: fc.integer({ min: -2, max: 2 }),
    }),
    { maxLength: 6 },
  );
  const items = offers.map((list) =>
    list.map(({ seconds, ...offer }) => item({ ...offer, scoredAt: plus(NOON, seconds * SECOND) })),
  );
  /** The times that a store could assign. */
  const assign = (accepted: readonly OfferedItem[]) =>
    accepted.map((one, i) => ({ ...one, scoredAt: plus(NOON, (10 + i) * SECOND) }));

  it('are those that were stored last under their ids, and a repeated batch changes nothing', () => {
    fc.assert(
      fc.property(items, (batch) => {
        const judged = judgePublications(batch, stored);
        const accepted = judged.flatMap(({ outcome, item: one }) => (outcome === 'accepted' ? [one] : []));
        const after = versionsAfter(judged, stored, assign(accepted));
        expect(after.map(({ id }) => id)).to.deep.equal(batch.map(({ id }) => id));
        const last = new Map<string, { scoredAt: Moment; json: Buffer }>(after.map((one) => [one.id, one]));
        const repeated = judgePublications(
          [...last].map(([id, version]) => ({ ...version, id, mode: 'live' as const })),
          new Map([...stored, ...last]),
        );
        expect(repeated.every(({ outcome }) => outcome === 'unchanged')).to.equal(true);
      }),
      runs(200),
    );
  });
});
