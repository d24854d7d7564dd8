import { expect } from 'chai';
import { openStream, type StreamOpening } from '../../../src/application/feed/open-stream.js';
import type { FollowedFeed } from '../../../src/application/ports/feed/followed-feed.js';
import type {
  SlotAnswer,
  SlotRequest,
  StreamSlots,
} from '../../../src/application/ports/limits/stream-slots.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type Position, type PositionToken, positionToken } from '../../../src/domain/feed/position.js';
import { replayFrom, type StreamStart } from '../../../src/domain/feed/stream-start.js';
import { DAY, FIRST_MOMENT, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { positionIn, tokenIn } from '../../support/live/stored-changes.js';
import { NOON } from '../../support/objects/builders.js';
import { aSubscription, requestOf } from '../../support/objects/streams.js';

const NEWEST = positionIn(5_000);
const HEAD = plus(NOON, -DAY);
const KEPT = 7 * DAY;
const { key, stream, subscription } = requestOf(aSubscription({ allowed: 1 }));

type State = 'valid' | 'ahead' | 'expired';

/** The log of a process; a read of the log makes these positions valid. */
function feedWith(states: Readonly<Record<PositionToken, State>>, readLater: readonly Position[] = []) {
  const known = new Map(Object.entries(states));
  const calls: string[] = [];
  const feed: FollowedFeed = {
    state: { position: NEWEST, head: HEAD },
    stateOf: (position) => known.get(positionToken(position)) ?? 'expired',
    readNow: async () => {
      calls.push('read');
      for (const position of readLater) known.set(positionToken(position), 'valid');
    },
  };
  return { feed, calls };
}

function slotsWith(answer: SlotAnswer) {
  const asked: SlotRequest[] = [];
  const slots: Pick<StreamSlots, 'open'> = {
    open: async (request) => {
      asked.push(request);
      return answer;
    },
  };
  return { slots: slots as StreamSlots, asked };
}

const GRANTED = slotsWith({ granted: true, open: 3, replaced: null });
const unknown: Pick<FollowedFeed, 'state'> = { state: null };

const opening = (start: StreamStart, more: Partial<StreamOpening> = {}): StreamOpening => ({
  ...{ stream, subscription, key, plan: 'builder', start, isResumed: false, needsSlot: true },
  ...more,
});

const using = (followedFeed: FollowedFeed, streamSlots: StreamSlots = GRANTED.slots) =>
  openStream({ followedFeed, streamSlots, plans: PLANS, clock: () => NOON, feedChangesKept: KEPT });

const resumedAfter = (n: number): StreamStart => ({
  from: 'progress',
  progress: { of: 'log', position: positionIn(n) },
});

describe('A stream that opens', () => {
  const { feed } = feedWith({ [tokenIn(4_500)]: 'valid', [tokenIn(4_499)]: 'valid' });

  it('starts at the newest change of the process, if it asks for no start (D48)', async () => {
    expect(await using(feed)(opening({ from: 'now' }))).to.deep.equal({
      progress: { of: 'log', position: NEWEST },
      payment: 'nothing',
      slots: { open: 3, allowed: PLANS.builder.streams },
    });
  });

  it('continues after its position, and pays if that is more than 500 changes old (D46)', async () => {
    for (const [n, payment] of [
      [4_500, 'nothing'],
      [4_499, 'sent'],
    ] as const)
      expect(await using(feed)(opening(resumedAfter(n)))).to.deep.include({
        progress: { of: 'log', position: positionIn(n) },
        payment,
      });
  });

  it('replays the changes that are kept, pays, and begins at the newest change (D48)', async () => {
    const since = plus(NOON, -KEPT);
    expect(await using(feed)(opening({ from: 'time', since }))).to.deep.include({
      progress: replayFrom(since, NEWEST),
      payment: 'looks',
    });
    const older = plus(since, -MICROSECOND);
    expect(await using(feed)(opening({ from: 'time', since: older }))).to.deep.equal({
      refused: 'position_expired',
      feedHead: HEAD,
      keptDays: KEPT / DAY,
    });
  });

  it('is refused with the head after a position that has expired, and takes no slot (D46)', async () => {
    const { slots, asked } = slotsWith({ granted: true, open: 1, replaced: null });
    expect(await using(feed, slots)(opening(resumedAfter(17)))).to.deep.equal({
      refused: 'position_expired',
      feedHead: HEAD,
    });
    expect(asked).to.deep.equal([]);
  });

  it('waits for one read of the log after a position that is ahead, and is then judged again (D46)', async () => {
    for (const readLater of [[positionIn(5_001)], []]) {
      const { feed: behind, calls } = feedWith({ [tokenIn(5_001)]: 'ahead' }, readLater);
      const opened = await using(behind)(opening(resumedAfter(5_001)));
      expect([isRefusal(opened), calls]).to.deep.equal([readLater.length === 0, ['read']]);
    }
  });

  describe('inside a replay', () => {
    const [began, seen] = [positionIn(4_000), positionIn(4_990)];
    const inside: StreamStart = {
      from: 'progress',
      progress: { of: 'replay', began, seen, reached: NOON },
    };

    it('continues there, and pays', async () => {
      const { feed: whole } = feedWith({ [positionToken(began)]: 'valid', [positionToken(seen)]: 'valid' });
      expect(await using(whole)(opening(inside))).to.deep.include({
        progress: { of: 'replay', began, seen, reached: NOON },
        payment: 'looks',
      });
    });

    it('has expired if it reaches further back than any that the service can have sent (D46)', async () => {
      const { feed: whole } = feedWith({ [positionToken(began)]: 'valid', [positionToken(seen)]: 'valid' });
      const reaching = (reached: Moment): StreamStart => ({
        from: 'progress',
        progress: { of: 'replay', began, seen, reached },
      });
      const oldest = plus(NOON, -14 * DAY);
      expect(await using(whole)(opening(reaching(oldest)))).to.deep.include({ payment: 'looks' });
      for (const invented of [plus(oldest, -MICROSECOND), FIRST_MOMENT])
        expect(await using(whole)(opening(reaching(invented)))).to.deep.include({
          refused: 'position_expired',
        });
    });

    it('needs the change at which it began and the newest that it has seen (D45)', async () => {
      for (const left of [began, seen]) {
        const { feed: partly } = feedWith({ [positionToken(left)]: 'valid' });
        expect(await using(partly)(opening(inside))).to.deep.include({ refused: 'position_expired' });
      }
    });
  });

  it('takes a slot of its plan, and says whether it resumes (D51)', async () => {
    const { slots, asked } = slotsWith({ granted: true, open: 1, replaced: null });
    await using(feed, slots)(opening({ from: 'now' }, { isResumed: true }));
    const { streams: allowed } = PLANS.builder;
    expect(asked).to.deep.equal([{ subscription, key, stream, allowed, isResumed: true }]);
  });

  it('is refused without a slot (D51)', async () => {
    const { slots } = slotsWith({ granted: false, open: 5 });
    expect(await using(feed, slots)(opening({ from: 'now' }))).to.deep.equal({
      refused: 'too_many_streams',
    });
  });

  it('takes none for a batch (D58)', async () => {
    const { slots, asked } = slotsWith({ granted: false, open: 5 });
    expect(await using(feed, slots)(opening({ from: 'now' }, { needsSlot: false }))).to.deep.include({
      slots: { open: 0, allowed: PLANS.builder.streams },
    });
    expect(asked).to.deep.equal([]);
  });

  it('fails before the first read of the log', async () => {
    const fault = await using({ ...feed, ...unknown })(opening({ from: 'now' })).catch((one) => one);
    expect(fault).to.be.instanceOf(Unavailable);
  });
});
