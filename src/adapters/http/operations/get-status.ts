import type { Clock } from '../../../application/ports/clock.js';
import type { FeedStore } from '../../../application/ports/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import { between, type Moment, SECOND } from '../../../domain/moment.js';
import type { RouteHandler } from '../state.js';
import { type PartState, worstOf } from './health.js';

const NEWEST = { before: null, since: null, newsId: null, marketId: null, count: 1 } as const;

/**
 * GET /status: for whoever wonders whether it is them or us. How fresh the feed is, and which parts are done without;
 * the words about them are for operators, and stay on the internal listener.
 */
export const getStatus =
  (parts: {
    readonly states: () => readonly PartState[];
    readonly feed: FeedStore;
    readonly clock: Clock;
  }): RouteHandler =>
  async (ctx) => {
    const states = parts.states();
    const head = await headOf(parts.feed);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      status: worstOf(states),
      feed: { head, age_seconds: head === null ? null : age(head, parts.clock()) },
      parts: states.map(({ part, state }) => ({ part, state })),
    };
  };

/** Null also where nobody can say. */
async function headOf(feed: FeedStore): Promise<Moment | null> {
  try {
    return (await feed.page(NEWEST)).head;
  } catch (fault) {
    if (fault instanceof Unavailable) return null;
    throw fault;
  }
}

/** Items may be scored ahead of our clock by a little. */
const age = (head: Moment, now: Moment): number => Math.max(0, Math.floor(between(head, now) / SECOND));
