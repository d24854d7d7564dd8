import { setTimeout } from 'node:timers/promises';
import { readStream, type StreamReader } from '../live/stream-reader.js';
import { ask, type Stage } from './calls.js';
import { type RunRecord, touchesPostgresOf } from './record.js';
import { type Fault, INSTANCES } from './schedule.js';

/** A change of a key reaches every instance within this time, also if every message is lost, while Postgres answers (D39). */
export const REACHES_ALL_MS = 1_500;
/**
 * An instance that had no Postgres uses its copies as D35 allows until it has read the logs again: the probe comes every 0.5 s, a
 * read takes 1 s at most, and one that failed is repeated after 0.5 s.
 */
const POSTGRES_BACK_MS = 3_000;
/** A pause of the process that sends and reads, here. */
const READING_MS = 250;
const EVERY_MS = 150;
const PROBED_MS = 5_000;

/** `changing`: a call is under way, whose effect is not known yet. */
export type ProbedState = 'valid' | 'held' | 'revoked' | 'changing';

export type ProbedKey = {
  readonly id: string;
  readonly key: string;
  readonly state: ProbedState;
  /** When the call was acknowledged, in milliseconds of the run. */
  readonly since: number;
};

const EXPECTED = { held: 402, revoked: 401 } as const;

/** Asks every instance with every key that is in question, and judges the answers. */
export class KeyProbes {
  readonly #stage: Stage;
  readonly #record: RunRecord;
  readonly #keys = new Map<string, ProbedKey>();
  readonly #pending = new Set<Promise<void>>();

  constructor(stage: Stage, record: RunRecord) {
    this.#stage = stage;
    this.#record = record;
  }

  /** A key that was not held before is valid at once, everywhere. */
  set(id: string, key: string, state: ProbedState, since = this.#record.now()): void {
    this.#keys.set(id, { id, key, state, since });
  }

  /** After its last change, a key is probed for long enough that a frozen instance continues. */
  forgetLater(id: string): void {
    void setTimeout(PROBED_MS, null, { ref: false }).then(() => this.#keys.delete(id));
  }

  async run(): Promise<void> {
    while (!this.#stage.isOver()) {
      for (const probed of this.#keys.values()) for (let n = 0; n < INSTANCES; n += 1) this.#probe(probed, n);
      await setTimeout(EVERY_MS);
    }
    await Promise.all(this.#pending);
  }

  /** Does not wait for the answer: a frozen instance answers late, and must answer rightly. */
  #probe(probed: ProbedKey, n: number): void {
    const sentAt = this.#record.now();
    const url = `${this.#stage.installation.url(n)}/pm/v2/news?limit=1`;
    const done = ask(url, { headers: { 'X-API-Key': probed.key } })
      .then((reply) => {
        // Only if nothing began meanwhile: the answer may be that to either state.
        if (reply !== null && this.#keys.get(probed.id) === probed)
          this.#judge(probed, n, sentAt, reply.status);
      })
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  #judge({ id, state, since }: ProbedKey, n: number, sentAt: number, status: number): void {
    const record = this.#record;
    const evidence = () =>
      `key ${id} is ${state} since ${Math.round(since)} ms: instance ${n} answered ${status} to a request of ${Math.round(sentAt)} ms`;
    if (status === 503 || state === 'changing') return;
    if (state === 'valid') {
      record.count('probes of valid keys');
      if (status === 401) record.violated('an acknowledged key is never unknown', evidence());
      if (status !== 200 && sentAt > since + REACHES_ALL_MS && !this.#isExcused(n, since))
        record.violated('an acknowledged key is served', evidence());
      return;
    }
    if (sentAt < since + REACHES_ALL_MS || this.#isExcused(n, since)) return;
    record.count(`probes of ${state} keys`);
    if (status !== EXPECTED[state])
      record.violated(`a ${state} key is not served beyond 1.5 s (D39)`, evidence());
  }

  /** Whether Postgres did not answer this instance within 1 s since then (D39). */
  #isExcused(n: number, since: number): boolean {
    return this.#record.wasFaulty(since, this.#record.now(), POSTGRES_BACK_MS, touchesPostgresOf(n));
  }
}

/** An open stream of a key. Opening it is given up after this time: the instance may be frozen. */
const OPEN_MS = 2_000;

/** Opens a stream with a key; null if an instance does not open one now. */
export async function openStream(stage: Stage, n: number, key: string): Promise<StreamReader | null> {
  const opening = readStream(stage.installation.url(n), key).catch(() => null);
  const late = setTimeout(OPEN_MS, null);
  void opening.then(async (opened) => {
    if ((await late) === null && opened !== (await Promise.race([opening, late]))) opened?.close();
  });
  const opened = await Promise.race([opening, late]);
  return opened?.status === 200 ? opened : null;
}

/** D52: the bounds of requests hold for streams too. A frozen instance closes its streams when it continues. */
export async function judgeStream(
  stream: StreamReader,
  id: string,
  n: number,
  record: RunRecord,
): Promise<void> {
  const since = record.now();
  const concerns = (fault: Fault) =>
    touchesPostgresOf(n)(fault) || (fault.kind === 'instance frozen' && fault.instance === n);
  await Promise.race([stream.closed, setTimeout(REACHES_ALL_MS + READING_MS)]);
  if (!stream.isClosed() && !record.wasFaulty(since, record.now(), POSTGRES_BACK_MS, concerns))
    record.violated(
      'a stream of a revoked key ends within 1.5 s (D52)',
      `key ${id} at instance ${n}, revoked at ${Math.round(since)} ms; last position ${stream.position()}`,
    );
  record.count('streams of revoked keys');
  await Promise.race([stream.closed, setTimeout(2 * POSTGRES_BACK_MS)]);
  // Faults may follow each other for longer: the bound begins anew after each.
  const wasDisturbed = () =>
    record.wasFaulty(record.now() - REACHES_ALL_MS - READING_MS, record.now(), POSTGRES_BACK_MS, concerns);
  while (!stream.isClosed() && wasDisturbed()) await Promise.race([stream.closed, setTimeout(READING_MS)]);
  if (!stream.isClosed())
    record.violated('a stream of a revoked key ends after faults', `key ${id} at instance ${n}`);
  stream.close();
}
