import type { PlanName, Plans } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { Position } from '../../domain/feed/position.js';
import type { Progress } from '../../domain/feed/stream-position.js';
import {
  isReplayKept,
  isReplayPossible,
  neededChanges,
  replayFrom,
  type StreamStart,
} from '../../domain/feed/stream-start.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { type Payment, resumePayment } from '../../domain/limits/streams.js';
import { DAY, type Duration, type Moment } from '../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import { knownPlan } from '../billing/known-plan.js';
import type { Clock } from '../ports/clock.js';
import type { FollowedFeed } from '../ports/feed/followed-feed.js';
import type { StreamId, StreamSlots } from '../ports/limits/stream-slots.js';
import { Unavailable } from '../unavailable.js';

/** A stream or a batch that was admitted, and is to be opened. */
export type StreamOpening = {
  readonly stream: StreamId;
  readonly subscription: SubscriptionId;
  readonly key: KeyId;
  readonly plan: PlanName;
  readonly start: StreamStart;
  /** Whether the client resumes a stream: then it may take the slot of its own earlier connection (D51). */
  readonly isResumed: boolean;
  /** A batch holds no slot (D58). */
  readonly needsSlot: boolean;
};

/** A stream that may start. */
export type OpenedStream = {
  readonly progress: Progress;
  /** What costs permits until it has caught up (D46, D51). */
  readonly payment: Payment;
  readonly slots: { readonly open: number; readonly allowed: number };
};

type Parts = {
  readonly followedFeed: FollowedFeed;
  readonly streamSlots: StreamSlots;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly feedChangesKept: Duration;
};

/** Checks where a stream starts (D46, D48), then takes its slot (D51). Throws `Unavailable` while the feed is not read. */
export const openStream = (parts: Parts) =>
  async function openStream(opening: StreamOpening): Promise<OpenedStream | Refusal> {
    const { start, stream, subscription, key, isResumed, plan, needsSlot } = opening;
    const from = await startingFrom(parts, start);
    if (isRefusal(from)) return from;
    const allowed = knownPlan(parts.plans, plan).streams;
    if (!needsSlot) return { ...from, slots: { open: 0, allowed } };
    const slot = await parts.streamSlots.open({ subscription, key, stream, allowed, isResumed });
    if (!slot.granted) return refuse('too_many_streams');
    return { ...from, slots: { open: slot.open, allowed } };
  };

export type OpenStreamUseCase = ReturnType<typeof openStream>;

type From = Pick<OpenedStream, 'progress' | 'payment'>;

async function startingFrom(parts: Parts, start: StreamStart): Promise<From | Refusal<'position_expired'>> {
  const { followedFeed, clock, feedChangesKept } = parts;
  const { position, head } = readState(followedFeed);
  switch (start.from) {
    case 'now':
      return { progress: { of: 'log', position }, payment: 'nothing' };
    case 'time': {
      if (!isReplayKept(start.since, clock(), feedChangesKept))
        return { ...expired(head), keptDays: feedChangesKept / DAY };
      return { progress: replayFrom(start.since, position), payment: 'looks' };
    }
    case 'progress':
      if (!isReplayPossible(start.progress, clock(), feedChangesKept)) return expired(head);
      return resumed(followedFeed, start.progress);
  }
}

async function resumed(
  followedFeed: FollowedFeed,
  progress: Progress,
): Promise<From | Refusal<'position_expired'>> {
  for (const needed of neededChanges(progress))
    if (!(await isValid(followedFeed, needed))) return expired(readState(followedFeed).head);
  return { progress, payment: resumePayment(progress, readState(followedFeed).position) };
}

/** Another instance may have given the position out: then this one waits until it has read as far (D46). */
async function isValid(followedFeed: FollowedFeed, position: Position): Promise<boolean> {
  const state = await followedFeed.stateOf(position);
  if (state !== 'ahead') return state === 'valid';
  await followedFeed.readNow();
  return (await followedFeed.stateOf(position)) === 'valid';
}

const expired = (feedHead: Moment | null): Refusal<'position_expired'> => ({
  refused: 'position_expired',
  feedHead,
});

function readState({ state }: FollowedFeed) {
  if (state === null) throw new Unavailable('the feed');
  return state;
}
