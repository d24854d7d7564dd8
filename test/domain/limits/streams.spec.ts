import { expect } from 'chai';
import fc from 'fast-check';
import { NO_MARK } from '../../../src/domain/feed/position.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import {
  ALIVE_AFTER_PING_SECONDS,
  isFirstSignOfLife,
  isLateRenewal,
  isReplacedLately,
  mayTakeAgain,
  NO_SLOT_RETRY_SECONDS,
  openByKey,
  permitsFor,
  protectedSeconds,
  REPLACEABLE_MAX,
  REPLACED_MAX,
  renewalSeconds,
  resumePayment,
  SLOT_LEASE_SECONDS,
  type SlotHolder,
  type SlotWish,
  slotFor,
  streamsBeyond,
} from '../../../src/domain/limits/streams.js';
import { FIRST_MOMENT, LAST_MOMENT, type Moment } from '../../../src/domain/moment.js';
import { keyId, runs } from '../../support/objects/builders.js';

const [MINE, OTHER] = [keyId('mine'), keyId('other')];
const NOW = 1_000;

type Stream = SlotHolder & { readonly name: string };
const stream = (name: string, key: KeyId = MINE, protectedUntil = 0): Stream => ({
  name,
  key,
  protectedUntil,
});
const wish = (allowed: number, more: Partial<SlotWish> = {}): SlotWish => ({
  ...{ key: MINE, allowed, isResumed: true, replacedLately: 0 },
  ...more,
});

describe('The slot of a new stream', () => {
  const one = [stream('a')];
  const several = [stream('a', OTHER), stream('b', MINE, NOW + 1), stream('c'), stream('d')];

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, open: readonly Stream[], wish: SlotWish, slot: string])[] = [
    ['is free on an empty subscription',                         [],      wish(1),                                      'free'],
    ['is free while fewer are open than the plan allows',        several, wish(5),                                      'free'],
    ['is free also for a stream that does not resume',           several, wish(5, { isResumed: false }),                'free'],
    ['is that of the oldest stream of the same key',             one,     wish(1),                                      'a'],
    ['is never that of another key, or of a client that is alive', several, wish(4),                                    'c'],
    ['is replaced one for one, also beyond a reduced plan',      several, wish(1),                                      'c'],
    ['does not exist for a stream that does not resume',         one,     wish(1, { isResumed: false }),                'none'],
    ['does not exist where the key has no stream of its own',    one,     wish(1, { key: OTHER }),                      'none'],
    ['does not exist after 6 replacements in 10 minutes',        one,     wish(1, { replacedLately: REPLACED_MAX }),    'none'],
    ['exists for the sixth replacement',                         one,     wish(1, { replacedLately: REPLACED_MAX - 1 }), 'a'],
  ];
  for (const [title, open, asked, slot] of cases) {
    it(`${title} (D51)`, () => {
      const decision = slotFor(open, asked, NOW);
      const found = decision.granted ? (decision.replaced?.name ?? 'free') : 'none';
      expect(found).to.equal(slot);
    });
  }

  it('is protected until the protection ends, and not longer (D51)', () => {
    const [alive, silent] = [stream('a', MINE, NOW + 0.001), stream('a', MINE, NOW)];
    expect(slotFor([alive], wish(1), NOW)).to.deep.include({ granted: false });
    expect(slotFor([silent], wish(1), NOW)).to.deep.include({ granted: true, replaced: silent });
  });

  it('is searched among a bounded number of streams', () => {
    const others = Array.from({ length: REPLACEABLE_MAX }, (_, i) => stream(`${i}`, OTHER));
    const last = stream('last');
    expect(slotFor([...others, last], wish(1), NOW).granted).to.equal(false);
    expect(slotFor([...others.slice(1), last], wish(1), NOW)).to.deep.equal({
      granted: true,
      replaced: last,
    });
  });

  it('is never one more than the plan allows, whatever is open (D51)', () => {
    const someStream = fc.record({
      name: fc.string(),
      key: fc.constantFrom(MINE, OTHER),
      protectedUntil: fc.integer({ min: NOW - 2, max: NOW + 2 }),
    });
    const someWish = fc.record({
      key: fc.constantFrom(MINE, OTHER),
      allowed: fc.integer({ min: 1, max: 8 }),
      isResumed: fc.boolean(),
      replacedLately: fc.nat(8),
    });
    const property = fc.property(fc.array(someStream, { maxLength: 8 }), someWish, (open, asked) => {
      const decision = slotFor(open, asked, NOW);
      if (open.length < asked.allowed) expect(decision).to.deep.include({ granted: true, replaced: null });
      else if (decision.granted) {
        const replaced = open.indexOf(decision.replaced ?? stream('none'));
        expect(replaced).to.be.at.least(0);
        expect(asked.isResumed && asked.replacedLately < REPLACED_MAX).to.equal(true);
        const older = open.slice(0, replaced).filter(({ key }) => key === asked.key);
        expect(older.every(({ protectedUntil }) => protectedUntil > NOW)).to.equal(true);
        expect(decision.replaced).to.include({ key: asked.key });
        expect(decision.replaced?.protectedUntil).to.be.at.most(NOW);
      }
    });
    fc.assert(property, runs(1_000));
  });
});

describe('The protection of a WebSocket', () => {
  it('lasts 20 s from the last answer to a ping (D51)', () => {
    expect([0, 5, 9.5].map((seconds) => protectedSeconds(seconds, SLOT_LEASE_SECONDS))).to.deep.equal([
      20, 15, 10.5,
    ]);
  });

  it('does not exist without an answer, or after 20 s', () => {
    const seconds = [null, ALIVE_AFTER_PING_SECONDS + 0.001, 60];
    expect(seconds.map((since) => protectedSeconds(since, SLOT_LEASE_SECONDS))).to.deep.equal([0, 0, 0]);
  });

  it('begins with the first answer to a ping, also after 20 s without one', () => {
    const seconds = [null, ALIVE_AFTER_PING_SECONDS + 0.001, ALIVE_AFTER_PING_SECONDS, 0];
    expect(seconds.map(isFirstSignOfLife)).to.deep.equal([true, true, false, false]);
  });

  it('covers every moment of a client that answers in time, whenever its slot is renewed', () => {
    const answers = fc.record({
      gap: fc.integer({ min: 1, max: ALIVE_AFTER_PING_SECONDS }),
      phase: fc.integer({ min: 0, max: 19 }),
      leaseSeconds: fc.integer({ min: 3, max: 60 }),
    });
    const property = fc.property(answers, ({ gap, phase, leaseSeconds }) => {
      const renewal = renewalSeconds(leaseSeconds);
      const since = (now: number) => (now - phase) % gap;
      for (let now = phase; now < phase + 120; now += renewal) {
        const until = now + protectedSeconds(since(now), leaseSeconds);
        expect(until).to.be.at.least(now + renewal);
      }
    });
    fc.assert(property, runs(200));
  });
});

describe('A renewal', () => {
  it('takes place three times in a lease of 30 s', () => {
    expect(renewalSeconds(SLOT_LEASE_SECONDS)).to.equal(10);
  });

  it('is late if the instance did not try for longer than a lease, while the stream was open', () => {
    const late = (sinceRenewal: number, open: number) => isLateRenewal(sinceRenewal, open, 30);
    expect([late(30.1, 31), late(30, 60), late(3_600, 30), late(10, 3_600)]).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });

  // biome-ignore format: a table is read by its columns
  const cases = [
    ['takes a slot that the store lost, also beyond the plan', { wasEnded: false, isLate: false, isFree: false }, true],
    ['takes a free slot after a pause',                        { wasEnded: false, isLate: true,  isFree: true },  true],
    ['takes no slot that others need after a pause',           { wasEnded: false, isLate: true,  isFree: false }, false],
    ['takes no slot for a stream that was ended',              { wasEnded: true,  isLate: false, isFree: true },  false],
  ] as const;
  for (const [title, state, isTaken] of cases) {
    it(title, () => expect(mayTakeAgain(state)).to.equal(isTaken));
  }
});

describe('The limits of replacements', () => {
  it('count a replacement for 10 minutes, and a refused client waits 30 s (D51)', () => {
    expect([NOW, NOW + 599, NOW + 600].map((now) => isReplacedLately(NOW, now))).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect([REPLACED_MAX, NO_SLOT_RETRY_SECONDS]).to.deep.equal([6, 30]);
  });
});

describe('The open streams of a subscription', () => {
  it('are counted for each key', () => {
    const [one, other] = [keyId('one'), keyId('other')];
    expect([...openByKey([one, other, one])]).to.deep.equal([
      [one, 2],
      [other, 1],
    ]);
    expect(openByKey([]).size).to.equal(0);
  });
});

describe('A smaller plan', () => {
  it('ends the newest streams beyond it (D52)', () => {
    expect(streamsBeyond(['a', 'b', 'c'], 1)).to.deep.equal(['b', 'c']);
    expect(streamsBeyond(['a'], 5)).to.deep.equal([]);
  });
});

describe('The price of a replay', () => {
  it('is one permit for each 500 items that it looks at, before it does (D51)', () => {
    const permits = [0, 1, 500, 501, 1_000, 1_001].map((looked) => permitsFor('looks', looked, 0));
    expect(permits).to.deep.equal([0, 1, 1, 2, 2, 3]);
  });

  it('is due for the rest of a replay, and not for the few changes after it (D51)', () => {
    const newest = { n: 5_000, mark: NO_MARK };
    const replay = { of: 'replay', began: { n: 4_999, mark: NO_MARK }, seen: newest } as const;
    const payment = (reached: Moment) => resumePayment({ ...replay, reached }, newest);
    expect([payment(FIRST_MOMENT), payment(LAST_MOMENT)]).to.deep.equal(['looks', 'nothing']);
  });
});

describe('The price of a resume', () => {
  it('is one permit for each 500 items that it sends, and for each 5 000 changes that it looks at (D46)', () => {
    // biome-ignore format: a table is read by its columns
    const rows = [[1, 0, 1], [500, 500, 1], [501, 501, 2], [1_001, 1_001, 3], [5_000, 500, 1], [5_001, 500, 2], [10_001, 501, 3]];
    for (const [looked = 0, sent = 0, permits] of rows)
      expect(permitsFor('sent', looked, sent), `${looked}, ${sent}`).to.equal(permits);
  });

  it('is nothing for at most 500 changes, which the permit of the request covers (D46)', () => {
    const newest = { n: 5_000, mark: NO_MARK };
    const payment = (n: number) => resumePayment({ of: 'log', position: { n, mark: NO_MARK } }, newest);
    expect([payment(4_499), payment(4_500), payment(5_000)]).to.deep.equal(['sent', 'nothing', 'nothing']);
    expect(permitsFor('nothing', 5_000, 5_000)).to.equal(0);
  });
});
