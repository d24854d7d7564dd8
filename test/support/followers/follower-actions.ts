import fc from 'fast-check';
import { MARKETS, type Market } from '../streams/model-items.js';
import type { ConnectionPlan, FollowerPlan } from './follower.js';

/** A publication of a run. The name is unique within the run only. */
export type Published = {
  readonly name: string;
  readonly markets: readonly Market[];
  /** How long before the start of the run; only for backfills. */
  readonly minutes: number;
  readonly text: string;
};

export type Action =
  | {
      readonly do: 'publish';
      readonly items: readonly Published[];
      readonly mode: 'live' | 'backfill';
      readonly instance: number;
      /** Otherwise the next action begins before this one has ended. */
      readonly isAwaited: boolean;
    }
  | { readonly do: 'retract'; readonly name: string; readonly instance: number; readonly isAwaited: boolean }
  /** The follower drops its connection; if it is `isAway`, until the next meeting. */
  | { readonly do: 'drop'; readonly follower: number; readonly isAway: boolean }
  /** Waits until all followers have everything. */
  | { readonly do: 'meet' }
  | { readonly do: 'trim'; readonly kept: number }
  | { readonly do: 'kill'; readonly instances: readonly number[] }
  | { readonly do: 'backUp' }
  | { readonly do: 'restore' };

export type Disaster = 'kill' | 'restore' | 'trim';

export type Case = { readonly followers: readonly FollowerPlan[]; readonly actions: readonly Action[] };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const markets = fc.subarray([...MARKETS]);
const instance = fc.nat(1);
const isAwaited = fc.boolean();

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('data: x\n\nid: 1\n\n', '\u2028\u2029\u0085\r\n', '"\\ </script>'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 30_000 }).map((length) => 'é'.repeat(length)) },
);

const published: fc.Arbitrary<Published> = fc.record({ name, markets, minutes: fc.nat(60), text });

const publish: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('publish'),
  items: fc.array(published, { minLength: 1, maxLength: 4 }),
  mode: fc.constantFrom('live', 'live', 'backfill'),
  instance,
  isAwaited,
});

const drop: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('drop'),
  follower: fc.nat(5),
  isAway: fc.boolean(),
});

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 10, arbitrary: publish },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('retract'), name, instance, isAwaited }) },
  { weight: 3, arbitrary: drop },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('meet') }) },
);

const actions = fc.array(action, { minLength: 3, maxLength: 12, size: 'max' });

const DISASTERS: Readonly<Record<Disaster, fc.Arbitrary<readonly Action[]>>> = {
  kill: instance.map((killed) => [{ do: 'kill', instances: [killed] }]),
  // The positions of the first follower and of later ones are removed from the log and from the memory of all instances.
  trim: fc
    .array(publish, { minLength: 2, maxLength: 6 })
    .map((missed) => [
      { do: 'drop', follower: 0, isAway: true },
      ...missed,
      { do: 'trim', kept: 1 },
      { do: 'kill', instances: [0, 1] },
    ]),
  restore: actions.map((lost) => [{ do: 'backUp' }, ...lost, { do: 'restore' }]),
};

const connection: fc.Arbitrary<ConnectionPlan> = fc.record({
  form: fc.constantFrom('sse', 'sse-gzip', 'ws', 'ws-deflate', 'batch'),
  instance,
  bytesMax: fc.option(fc.nat(8_000), { freq: 4 }),
});

const follower: fc.Arbitrary<FollowerPlan> = fc.record({
  start: fc.constantFrom('walk', 'walk', 'since'),
  markets: fc.option(fc.subarray([...MARKETS], { minLength: 1 })),
  filters: fc.constantFrom('', '', 'category=x', 'q=third', 'category=x&q=third'),
  pageItems: fc.integer({ min: 1, max: 5 }),
  connections: fc.array(connection, { minLength: 1, maxLength: 8, size: 'max' }),
});

/** Runs in which these disasters happen, one after the other. */
export const casesWith = (...disasters: readonly Disaster[]): fc.Arbitrary<Case> =>
  fc.record({
    followers: fc.array(follower, { minLength: 3, maxLength: 6, size: 'max' }),
    actions: fc
      .tuple(...disasters.flatMap((disaster) => [actions, DISASTERS[disaster]]), actions)
      .map((parts) => parts.flat()),
  });
