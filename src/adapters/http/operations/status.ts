import type { ReadFeedHead } from '../../../application/feed/read-feed-head.js';
import type { Clock } from '../../../application/ports/clock.js';
import { type Position, positionToken } from '../../../domain/feed/position.js';
import { between, type Moment, SECOND } from '../../../domain/moment.js';
import { type DependencyState, worstOf } from './health.js';

type Parts = {
  readonly dependencyStates: () => readonly DependencyState[];
  readonly readFeedHead: ReadFeedHead;
  readonly clock: Clock;
  readonly streams: { readonly figures: { readonly open: number; readonly position: Position | null } };
};

/** The body of `GET /status`. */
export type Status = {
  readonly status: DependencyState['state'];
  readonly feed: {
    readonly head: Moment | null;
    readonly age_seconds: number | null;
    readonly position: string | null;
  };
  readonly streams: { readonly open: number };
  readonly parts: readonly { readonly part: string; readonly state: DependencyState['state'] }[];
};

/**
 * The freshness of the feed and the state of each dependency, for everyone. The texts that explain the states are for
 * operators, so only the internal listener has them.
 */
export const statusOf =
  ({ dependencyStates, readFeedHead, clock, streams }: Parts) =>
  async (): Promise<Status> => {
    const states = dependencyStates();
    const head = await readFeedHead();
    const { open, position: last } = streams.figures;
    const position = last === null ? null : positionToken(last);
    return {
      status: worstOf(states),
      feed: { head, age_seconds: head === null ? null : age(head, clock()), position },
      streams: { open },
      parts: states.map(({ dependency, state }) => ({ part: dependency, state })),
    };
  };

/** The head can be slightly ahead of our clock. */
const age = (head: Moment, now: Moment): number => Math.max(0, Math.floor(between(head, now) / SECOND));
