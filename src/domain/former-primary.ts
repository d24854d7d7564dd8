/**
 * What a Postgres server says about its history. All copies of one server have the same system, and a promotion begins a new
 * timeline of it, with a greater number.
 */
export type ServerHistory = {
  readonly system: string;
  /** Null for a standby. It accepts no writes, and its timeline is not known before it is promoted. */
  readonly timeline: number | null;
};

/** The greatest timeline that was seen of each system. It never falls. */
export type KnownTimelines = ReadonlyMap<string, number>;

/**
 * - `former`: the server was the primary until another one was promoted. It must get no statement.
 * - `unknown`: a standby, or a database without timelines.
 */
export type ServerVerdict = 'current' | 'former' | 'unknown';

/** Only timelines of one system are compared. Any other server is judged by the change logs (D45). */
export function serverVerdict(known: KnownTimelines, history: ServerHistory | null): ServerVerdict {
  if (history === null || history.timeline === null) return 'unknown';
  return history.timeline < (known.get(history.system) ?? 0) ? 'former' : 'current';
}

/** What is known after these timelines were seen, here or by another instance. The same map if nothing is new. */
export function withTimelines(
  known: KnownTimelines,
  seen: Iterable<readonly [string, number]>,
): KnownTimelines {
  const next = new Map(known);
  for (const [system, timeline] of seen) next.set(system, Math.max(timeline, next.get(system) ?? 0));
  const isNew = [...next].some(([system, timeline]) => known.get(system) !== timeline);
  return isNew ? next : known;
}
