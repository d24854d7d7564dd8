import type { ReadFeedHead } from '../../../application/feed/read-feed-head.js';
import type { Clock } from '../../../application/ports/clock.js';
import { type Position, positionToken } from '../../../domain/feed/position.js';
import { between, type Moment, SECOND } from '../../../domain/moment.js';
import type { RouteHandler } from '../state.js';
import { type DependencyState, worstOf } from './health.js';

/**
 * GET /status: the freshness of the feed and the state of each dependency, without a key. The texts that explain the
 * states are for operators, so only the internal listener has them.
 */
export const getStatus = (parts: {
  readonly dependencyStates: () => readonly DependencyState[];
  readonly readFeedHead: ReadFeedHead;
  readonly clock: Clock;
  readonly streams: { readonly figures: { readonly open: number; readonly position: Position | null } };
}): RouteHandler => {
  const { dependencyStates, readFeedHead, clock, streams } = parts;
  return async (ctx) => {
    const states = dependencyStates();
    const head = await readFeedHead();
    const { open, position: last } = streams.figures;
    const position = last === null ? null : positionToken(last);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      status: worstOf(states),
      feed: { head, age_seconds: head === null ? null : age(head, clock()), position },
      streams: { open },
      parts: states.map(({ dependency, state }) => ({ part: dependency, state })),
    };
  };
};

/** The head can be slightly ahead of our clock. */
const age = (head: Moment, now: Moment): number => Math.max(0, Math.floor(between(head, now) / SECOND));
