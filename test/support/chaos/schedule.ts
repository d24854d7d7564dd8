import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';

/** The instances of a run. The last one is never killed, so that what it keeps for too long adds up. */
export const INSTANCES = 3;
export const SURVIVOR = INSTANCES - 1;

/** A fault, with what it happens to. */
export type Fault =
  | { readonly kind: 'instance killed' | 'instance restarted' | 'instance frozen'; readonly instance: number }
  | { readonly kind: 'clock stepped'; readonly instance: number; readonly seconds: number }
  | { readonly kind: LinkFault; readonly instance: number }
  | { readonly kind: 'slow Postgres' | 'slow Redis'; readonly instance: number; readonly ms: number }
  | { readonly kind: ServerFault }
  | { readonly kind: 'table locked'; readonly table: string };

/** Between one instance and a server. */
type LinkFault =
  | 'cut off from Postgres'
  | 'answers of Postgres lost'
  | 'connections to Postgres closed'
  | 'cut off from Redis'
  | 'answers of Redis lost'
  | 'connections to Redis closed';

type ServerFault =
  | 'Postgres killed'
  | 'Postgres restarted'
  | 'Postgres frozen'
  | 'Postgres read-only'
  | 'slow disk of Postgres'
  | 'sessions of Postgres ended'
  | 'Redis killed'
  | 'Redis frozen'
  | 'streams dropped';

export type FaultKind = Fault['kind'];

/** Times are milliseconds from the start of the run. Faults of one lane follow each other. */
export type PlannedFault = {
  readonly fault: Fault;
  readonly lane: number;
  readonly at: number;
  readonly endsAt: number;
};

/** At most this many faults at once. */
const LANES = 2;
const FIRST_AT_MS = 500;
const GAP_MS = [100, 1_200] as const;
/** At the end there is no fault: a quarter of the run, but no more than a minute. */
const QUIET_SHARE = 0.25;
const QUIET_MS_MAX = 60_000;

type Kind = {
  readonly lastsMs: readonly [number, number];
  readonly of: (random: SeededRandom) => Fault;
};

const anyInstance = (random: SeededRandom): number => random.whole(0, INSTANCES - 1);
const onLink = (kind: LinkFault): Kind => ({
  lastsMs: [300, 3_000],
  of: (random) => ({ kind, instance: anyInstance(random) }),
});
const onServer = (kind: ServerFault, lastsMs: readonly [number, number]): Kind => ({
  lastsMs,
  of: () => ({ kind }),
});
/** Ends at once. */
const AT_ONCE = [0, 0] as const;

const KINDS: Readonly<Record<FaultKind, Kind>> = {
  'instance killed': {
    lastsMs: [0, 1_500],
    of: (random) => ({ kind: 'instance killed', instance: random.whole(0, SURVIVOR - 1) }),
  },
  'instance restarted': {
    lastsMs: [0, 500],
    of: (random) => ({ kind: 'instance restarted', instance: random.whole(0, SURVIVOR - 1) }),
  },
  'instance frozen': {
    lastsMs: [300, 3_000],
    of: (random) => ({ kind: 'instance frozen', instance: anyInstance(random) }),
  },
  'clock stepped': {
    lastsMs: [500, 3_000],
    of: (random) => ({
      kind: 'clock stepped',
      instance: anyInstance(random),
      seconds: random.pick([-40, -8, -3, 3, 8, 40]),
    }),
  },
  'slow Postgres': {
    lastsMs: [500, 3_000],
    of: (random) => ({ kind: 'slow Postgres', instance: anyInstance(random), ms: random.whole(20, 300) }),
  },
  'slow Redis': {
    lastsMs: [500, 3_000],
    of: (random) => ({ kind: 'slow Redis', instance: anyInstance(random), ms: random.whole(20, 500) }),
  },
  'table locked': {
    lastsMs: [300, 2_500],
    of: (random) => ({
      kind: 'table locked',
      table: random.pick(['item', 'account', 'feed_head', 'payment_event']),
    }),
  },
  'cut off from Postgres': onLink('cut off from Postgres'),
  'answers of Postgres lost': onLink('answers of Postgres lost'),
  'connections to Postgres closed': { ...onLink('connections to Postgres closed'), lastsMs: AT_ONCE },
  'cut off from Redis': onLink('cut off from Redis'),
  'answers of Redis lost': onLink('answers of Redis lost'),
  'connections to Redis closed': { ...onLink('connections to Redis closed'), lastsMs: AT_ONCE },
  'Postgres killed': onServer('Postgres killed', [0, 1_000]),
  'Postgres restarted': onServer('Postgres restarted', AT_ONCE),
  'Postgres frozen': onServer('Postgres frozen', [300, 3_000]),
  'Postgres read-only': onServer('Postgres read-only', [300, 2_500]),
  'slow disk of Postgres': onServer('slow disk of Postgres', [500, 3_000]),
  'sessions of Postgres ended': onServer('sessions of Postgres ended', AT_ONCE),
  'Redis killed': onServer('Redis killed', [0, 1_500]),
  'Redis frozen': onServer('Redis frozen', [300, 2_500]),
  'streams dropped': onServer('streams dropped', AT_ONCE),
};

export const FAULT_KINDS = Object.keys(KINDS) as readonly FaultKind[];

/** What a fault changes. Two faults at once change different things. */
export function resourceOf(fault: Fault): string {
  if (/Postgres$|of Postgres|to Postgres/.test(fault.kind) && 'instance' in fault)
    return `link of ${fault.instance} to Postgres`;
  if (/Redis/.test(fault.kind) && 'instance' in fault) return `link of ${fault.instance} to Redis`;
  if ('instance' in fault) return `instance ${fault.instance}`;
  if (fault.kind === 'streams dropped') return 'streams';
  return /Redis/.test(fault.kind) ? 'Redis' : 'Postgres';
}

export const quietMs = (durationMs: number): number => Math.min(durationMs * QUIET_SHARE, QUIET_MS_MAX);

/** The faults of a run, in the order of their times. The same seed and duration give the same faults. */
export function scheduleOf(seed: number, durationMs: number): readonly PlannedFault[] {
  const random = new SeededRandom(seed);
  const until = durationMs - quietMs(durationMs);
  const planned: PlannedFault[] = [];
  const freeAt = Array.from({ length: LANES }, () => FIRST_AT_MS);
  let deck: FaultKind[] = [];
  for (;;) {
    const lane = freeAt.indexOf(Math.min(...freeAt));
    const at = (freeAt[lane] ?? 0) + random.whole(...GAP_MS);
    const held = planned.filter(({ endsAt }) => endsAt >= at).map(({ fault }) => resourceOf(fault));
    const next = drawn(deck, random, held);
    deck = next.deck;
    const endsAt = at + random.whole(...KINDS[next.fault.kind].lastsMs);
    if (endsAt > until) return planned;
    planned.push({ fault: next.fault, lane, at, endsAt });
    freeAt[lane] = endsAt;
  }
}

/** The first kind of the deck that changes nothing that is changed already. Every kind is drawn before one is drawn again. */
function drawn(
  deck: readonly FaultKind[],
  random: SeededRandom,
  held: readonly string[],
): { readonly fault: Fault; readonly deck: FaultKind[] } {
  for (const kind of deck) {
    const fault = KINDS[kind].of(random);
    if (!held.includes(resourceOf(fault))) return { fault, deck: deck.filter((other) => other !== kind) };
  }
  return drawn([...deck, ...shuffled(random)], random, held);
}

function shuffled(random: SeededRandom): readonly FaultKind[] {
  const keyed = FAULT_KINDS.map((kind) => ({ kind, by: random.fraction() }));
  return keyed.sort((one, other) => one.by - other.by).map(({ kind }) => kind);
}
