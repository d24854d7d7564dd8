import { expect } from 'chai';
import type { Stream } from '../../../src/adapters/live/stream.js';
import { StreamAuthority } from '../../../src/adapters/live/stream-authority.js';
import type { StreamAccess } from '../../../src/application/limits/check-stream.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { type Refusal, refuse } from '../../../src/domain/refusal.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { NOON } from '../../support/objects/builders.js';
import { openStreamOf } from '../../support/streams/open-streams.js';

const SUBSCRIPTION = 'subscription' as SubscriptionId;
const ACCESS: StreamAccess = { subscription: SUBSCRIPTION, allowed: 5, endsAt: null, controls: null };
const REVOKED = refuse('key_revoked');
const CHECKS_MAX = 100;

describe('The authority of open streams (D52)', () => {
  let authority: StreamAuthority;
  let now: Moment;
  let answer: (hash: string) => Promise<StreamAccess | Refusal>;
  let checked: string[];
  let reduced: number[];
  let reported: unknown[];
  let ended: (readonly [Stream, Refusal])[];
  beforeEach(() => {
    [now, answer] = [NOON, async () => ACCESS];
    [checked, reduced, reported, ended] = [[], [], [], []];
    authority = new StreamAuthority({
      checkStream: (hash) => {
        checked.push(hash);
        return answer(hash);
      },
      streamSlots: { reduce: async (_, allowed) => void reduced.push(allowed) },
      clock: () => now,
      end: (stream, why) => {
        ended.push([stream, why]);
        stream.endReason = why.refused;
        authority.remove(stream);
      },
      report: (fault) => void reported.push(fault),
    });
  });

  const added = async (...streams: readonly Stream[]) => {
    for (const stream of streams) authority.add(stream);
    await nextImmediate();
    checked = [];
    return streams;
  };
  const changed = async (keys: readonly string[] | 'all') => {
    authority.changed({ keys: keys as readonly KeyHash[] | 'all' });
    await nextImmediate();
  };
  const tick = async () => {
    authority.tick();
    await nextImmediate();
  };

  it('checks a key when a stream is added, because it may have changed since it was admitted', async () => {
    answer = async () => REVOKED;
    const stream = openStreamOf();
    authority.add(stream);
    await nextImmediate();
    expect([checked, ended]).to.deep.equal([['hash'], [[stream, REVOKED]]]);
  });

  it('ends all streams of a key that is refused after a change, and no other', async () => {
    const [one, two] = await added(
      openStreamOf({ hash: 'k1' }),
      openStreamOf({ hash: 'k1' }),
      openStreamOf({ hash: 'k2' }),
    );
    answer = async () => REVOKED;
    await changed(['k1', 'unknown']);
    expect([checked, ended]).to.deep.equal([
      ['k1'],
      [
        [one, REVOKED],
        [two, REVOKED],
      ],
    ]);
  });

  it('checks every key once after a change of all accounts', async () => {
    await added(openStreamOf({ hash: 'k1' }), openStreamOf({ hash: 'k1' }), openStreamOf({ hash: 'k2' }));
    await changed('all');
    expect(checked).to.deep.equal(['k1', 'k2']);
  });

  it('checks no key whose streams have all ended', async () => {
    const [stream] = await added(openStreamOf());
    authority.remove(stream as Stream);
    await changed(['hash']);
    await changed('all');
    expect(checked).to.deep.equal([]);
  });

  it('ends a stream with the grace window of its key, and does not ask before (D22)', async () => {
    const endsAt = plus(NOON, SECOND);
    answer = async () => ({ ...ACCESS, endsAt });
    const [stream] = await added(openStreamOf({ allowed: 5 }));
    await tick();
    expect(checked).to.deep.equal([]);
    [now, answer] = [endsAt, async () => REVOKED];
    await tick();
    expect(ended).to.deep.equal([[stream, REVOKED]]);
  });

  it('ends a stream at the end of its key also while the store is away, from which no other key ends (D72)', async () => {
    const endsAt = plus(NOON, SECOND);
    answer = async (hash) => (hash === 'k1' ? { ...ACCESS, endsAt } : ACCESS);
    const [stream] = await added(openStreamOf({ hash: 'k1' }), openStreamOf({ hash: 'k2' }));
    [now, answer] = [endsAt, async () => Promise.reject(new Unavailable('the store'))];
    await tick();
    await changed('all');
    expect(ended).to.deep.equal([[stream, REVOKED]]);
  });

  it('ends the streams from addresses that are no longer allowed, and no other (D72)', async () => {
    const [, elsewhere] = await added(openStreamOf(), openStreamOf({ source: '198.51.100.7' }));
    const allowlist = ['192.0.2.0/24' as Network];
    answer = async () => ({ ...ACCESS, controls: { ...NO_CONTROLS, allowlist } });
    await changed(['hash']);
    const why = { refused: 'address_not_allowed', address: '198.51.100.7' };
    expect(ended).to.deep.equal([[elsewhere, why]]);
  });

  it('notes the limits of the key, for what a replay costs (D72)', async () => {
    const [stream] = await added(openStreamOf());
    const limits = { perMinute: 5, perDay: null };
    answer = async () => ({ ...ACCESS, controls: { ...NO_CONTROLS, limits } });
    await changed(['hash']);
    expect(stream?.own).to.deep.equal(limits);
    answer = async () => ACCESS;
    await changed(['hash']);
    expect(stream?.own).to.equal(null);
  });

  it('forgets a grace window that was withdrawn', async () => {
    const endsAt = plus(NOON, SECOND);
    answer = async () => ({ ...ACCESS, endsAt });
    await added(openStreamOf());
    answer = async () => ACCESS;
    await changed(['hash']);
    [now, checked] = [endsAt, []];
    await tick();
    expect(checked).to.deep.equal([]);
  });

  it('reduces the streams when the plan allows fewer, once', async () => {
    await added(openStreamOf({ allowed: 5 }));
    answer = async () => ({ ...ACCESS, allowed: 2 });
    await changed(['hash']);
    await changed(['hash']);
    expect(reduced).to.deep.equal([2]);
  });

  it('ends nothing while the store is away, and checks again at the next tick only (D35)', async () => {
    const [stream] = await added(openStreamOf());
    answer = async () => Promise.reject(new Unavailable('the store'));
    await changed(['hash']);
    expect([checked.length, ended, reported]).to.deep.equal([1, [], []]);
    answer = async () => REVOKED;
    await tick();
    expect([checked.length, ended]).to.deep.equal([2, [[stream, REVOKED]]]);
    await tick();
    expect(checked.length).to.equal(2);
  });

  it('reports a bug, and checks again', async () => {
    await added(openStreamOf());
    const bug = new Error('a bug');
    answer = async () => Promise.reject(bug);
    await changed(['hash']);
    expect([reported, ended]).to.deep.equal([[bug], []]);
    await tick();
    expect(checked.length).to.equal(2);
  });

  it('uses the answer of the check that began last, in whatever order they arrive', async () => {
    await added(openStreamOf());
    const answers: ((access: StreamAccess | Refusal) => void)[] = [];
    answer = () => new Promise((done) => answers.push(done));
    await changed(['hash']);
    await changed(['hash']);
    answers[1]?.(ACCESS);
    await nextImmediate();
    answers[0]?.(REVOKED);
    await nextImmediate();
    expect([answers.length, ended]).to.deep.equal([2, []]);
  });

  it(`checks ${CHECKS_MAX} keys at a time`, async () => {
    await added(...Array.from({ length: CHECKS_MAX + 1 }, (_, n) => openStreamOf({ hash: `k${n}` })));
    const answers: (() => void)[] = [];
    answer = () => new Promise((done) => answers.push(() => done(ACCESS)));
    await changed('all');
    expect(checked.length).to.equal(CHECKS_MAX);
    answers[0]?.();
    await nextImmediate();
    expect(checked.length).to.equal(CHECKS_MAX + 1);
  });
});
