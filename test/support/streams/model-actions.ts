import fc from 'fast-check';
import { type TermFilter, termOf } from '../../../src/domain/feed/filters/item-terms.js';
import type { ClientPlan } from './model-client.js';
import type { Sizes } from './model-instance.js';
import { MARKETS, type Published } from './model-items.js';

/** What happens in a run. Instances and clients are chosen by index, modulo their number. */
export type Action =
  | { readonly do: 'publish'; readonly items: readonly Published[]; readonly mode: 'live' | 'backfill' }
  | { readonly do: 'publishMany'; readonly count: number; readonly from: number }
  | { readonly do: 'retract'; readonly id: string }
  | { readonly do: 'trim'; readonly count: number }
  | { readonly do: 'restore'; readonly operations: number; readonly isHeadRaised: boolean }
  | { readonly do: 'follow'; readonly instance: number }
  | { readonly do: 'kill'; readonly instance: number; readonly share: number }
  | { readonly do: 'away'; readonly isAway: boolean }
  | { readonly do: 'tick' }
  /** The instances follow the logs, and the clients get what there is. */
  | { readonly do: 'rounds'; readonly count: number }
  | { readonly do: 'immediates'; readonly count: number }
  | { readonly do: 'step' | 'accept'; readonly client: number; readonly instance: number }
  | { readonly do: 'receive' | 'disconnect'; readonly client: number; readonly share: number };

export type Case = {
  readonly sizes: Sizes;
  readonly clients: readonly ClientPlan[];
  readonly actions: readonly Action[];
  /** The turns of the event loop after which the store answers, in turn. */
  readonly immediates: readonly number[];
};

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const markets = fc.subarray([...MARKETS]);
const published: fc.Arbitrary<Published> = fc.record({
  id,
  markets,
  category: fc.constantFrom('x', 'y'),
  minutes: fc.nat(60),
  characters: fc.oneof({ weight: 9, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.nat(20_000) }),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });
const instance = fc.nat(1);
const client = fc.nat(3);

const ACTIONS: readonly (readonly [weight: number, action: fc.Arbitrary<Action>])[] = [
  [
    9,
    fc.record({
      do: fc.constant('publish'),
      items: fc.array(published, { minLength: 1, maxLength: 4 }),
      mode: fc.constantFrom('live', 'live', 'backfill'),
    }),
  ],
  [1, fc.record({ do: fc.constant('publishMany'), count: fc.nat(250), from: fc.nat(250) })],
  [4, fc.record({ do: fc.constant('retract'), id })],
  [1, fc.record({ do: fc.constant('trim'), count: fc.nat(30) })],
  [
    1,
    fc.record({
      do: fc.constant('restore'),
      operations: fc.integer({ min: 1, max: 4 }),
      isHeadRaised: fc.boolean(),
    }),
  ],
  [8, fc.record({ do: fc.constant('follow'), instance })],
  [1, fc.record({ do: fc.constant('kill'), instance, share })],
  [1, fc.record({ do: fc.constant('away'), isAway: fc.boolean() })],
  [2, fc.record({ do: fc.constant('tick') })],
  [2, fc.record({ do: fc.constant('rounds'), count: fc.integer({ min: 1, max: 4 }) })],
  [8, fc.record({ do: fc.constant('immediates'), count: fc.integer({ min: 1, max: 6 }) })],
  [9, fc.record({ do: fc.constant('step'), client, instance })],
  [4, fc.record({ do: fc.constant('accept'), client, instance })],
  [3, fc.record({ do: fc.constant('receive'), client, share })],
  [4, fc.record({ do: fc.constant('disconnect'), client, share })],
];

const action = fc.oneof(...ACTIONS.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const [CATEGORY, WORD] = [termOf('category', 'x'), termOf('word', 'third')];

const clientPlan: fc.Arbitrary<ClientPlan> = fc.record({
  start: fc.oneof(fc.constant('walk' as const), fc.record({ sinceMinutes: fc.nat(60) })),
  markets: fc.option(fc.subarray([...MARKETS], { minLength: 1 })),
  terms: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constantFrom<TermFilter>([[CATEGORY]], [[WORD]], [[CATEGORY], [WORD]]) },
  ),
  form: fc.constantFrom('sse', 'sse-gzip', 'ws', 'ws-deflate', 'batch'),
  isSlow: fc.boolean(),
});

/** Small enough that most changes are in no memory, or large enough that all are. */
const bytes = fc.oneof(fc.nat(30_000), fc.constant(10_000_000));

export const CASES: fc.Arbitrary<Case> = fc.record({
  sizes: fc.record({ windowBytes: bytes, blocksBytes: bytes.map((size) => size + 1) }),
  clients: fc.array(clientPlan, { minLength: 1, maxLength: 4 }),
  actions: fc.array(action, { minLength: 5, maxLength: 80, size: 'max' }),
  immediates: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
});
