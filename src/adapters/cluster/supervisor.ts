import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import { type FromSupervisor, type FromWorker, type Ports, WORKER_SETTING } from './messages.js';

/** Who ends sooner than this after its start is started again later and later. */
const STEADY_MS = 10_000;
const RESTART_FIRST_MS = 100;
const RESTART_MOST_MS = 30_000;
/** Workers end within their own patience (`server.ts`, `background.ts`); one that hangs beyond it is ended. */
const ENDING_MS = 40_000;
const METRICS_MS = 2_000;

/** What is told of workers, in words for an operator. */
export type Report = (level: 'info' | 'error', words: string, worker: number, pid: number) => void;

/** What one place among the workers is doing. */
type Place = { worker: Worker | null; isServing: boolean; restartMs: number };

/**
 * Runs so many processes of the service on one port: starts one anew when it dies, asks all of them for their metrics,
 * and ends them in order. It serves nothing itself.
 */
export class Supervisor {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #report: Report;
  readonly #places: readonly Place[];
  readonly #asked = new Map<number, (metrics: readonly object[]) => void>();
  #lastId = 0;
  #stopping: Promise<void> | undefined;

  constructor(count: number, environment: Readonly<Record<string, string>>, report: Report) {
    this.#environment = environment;
    this.#report = report;
    this.#places = Array.from({ length: count }, () => ({
      worker: null,
      isServing: false,
      restartMs: RESTART_FIRST_MS,
    }));
  }

  /** Answers when all serve. Where one cannot, none does, and the cause is thrown. */
  async start(): Promise<Ports> {
    const started = this.#places.map((_, i) => this.#fork(i));
    try {
      const [ports] = await Promise.all(started);
      if (ports === undefined) throw new Error('there is no worker to start');
      return ports;
    } catch (fault) {
      await this.stop();
      throw fault;
    }
  }

  /** Ends all in order; to be told twice makes no difference. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    const left = this.#places.flatMap(({ worker }) => (worker === null ? [] : [worker]));
    const ended = Promise.all(left.map((worker) => once(worker, 'exit')));
    for (const { process } of left) process.kill('SIGTERM');
    const patience = pause(ENDING_MS, undefined, { ref: false });
    await Promise.race([ended, patience]);
    this.kill();
  }

  /** Ends at once what is left. */
  kill(): void {
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL');
  }

  /** Answers when the worker serves; throws, with its words, when it ends before. */
  async #fork(i: number): Promise<Ports> {
    const place = this.#placeOf(i);
    const worker = cluster.fork({ ...this.#environment, [WORKER_SETTING]: String(i + 1) });
    place.worker = worker;
    const startedAt = performance.now();
    let failure = 'a worker ended before it listened';
    return new Promise((done, fail) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') {
          this.#serves(i, worker);
          done(message);
        } else if (message.kind === 'failed') failure = message.words;
        else void this.#answer(worker, message);
      });
      worker.once('exit', (code, signal) => {
        const hasServed = place.isServing;
        place.worker = null;
        place.isServing = false;
        fail(new Error(failure)); // Nobody hears it once it has served.
        this.#tellStrength();
        if (this.#stopping !== undefined) return;
        if (performance.now() - startedAt > STEADY_MS) place.restartMs = RESTART_FIRST_MS;
        const how = `a worker ended by itself (${signal ?? `exit code ${code}`})`;
        if (hasServed || this.#isUp()) {
          this.#report('error', `${how}; another takes its place`, i + 1, worker.process.pid ?? 0);
          void this.#restart(i);
        }
      });
    });
  }

  /** One that cannot start is tried again: the others serve. */
  async #restart(i: number): Promise<void> {
    const place = this.#placeOf(i);
    const waitMs = place.restartMs;
    place.restartMs = Math.min(RESTART_MOST_MS, waitMs * 2);
    await pause(waitMs, undefined, { ref: false });
    if (this.#stopping !== undefined) return;
    await this.#fork(i).catch(() => {}); // Its end is reported, and it is started again.
  }

  #serves(i: number, worker: Worker): void {
    this.#placeOf(i).isServing = true;
    this.#report('info', 'a worker serves', i + 1, worker.process.pid ?? 0);
    this.#tellStrength();
  }

  #tellStrength(): void {
    const serving = this.#places.filter(({ isServing }) => isServing);
    for (const { worker } of serving)
      send(worker, { kind: 'strength', serving: serving.length, of: this.#places.length });
  }

  async #answer(worker: Worker, message: FromWorker): Promise<void> {
    if (message.kind === 'metrics') this.#asked.get(message.id)?.(message.metrics);
    if (message.kind !== 'metrics wanted') return;
    send(worker, { kind: 'metrics of all', id: message.id, text: await this.#metrics() });
  }

  /** The metrics of all that serve, in the format of Prometheus; what does not answer in time is left out. */
  async #metrics(): Promise<string> {
    const serving = this.#places.filter(({ isServing }) => isServing);
    const all = await Promise.all(serving.map(({ worker }) => this.#metricsOf(worker)));
    return AggregatorRegistry.aggregate(all).metrics();
  }

  async #metricsOf(worker: Worker | null): Promise<readonly object[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<readonly object[]>((done) => this.#asked.set(id, done));
    send(worker, { kind: 'own metrics wanted', id });
    const metrics = await Promise.race([answered, pause(METRICS_MS, [], { ref: false })]);
    this.#asked.delete(id);
    return metrics;
  }

  /** Whether the service as a whole has come up. */
  #isUp(): boolean {
    return this.#places.some(({ isServing }) => isServing);
  }

  #placeOf(i: number): Place {
    const place = this.#places[i];
    if (place === undefined) throw new RangeError(`there is no worker ${i}`);
    return place;
  }
}

/** One that is on its way out hears nothing more. */
function send(worker: Worker | null, message: FromSupervisor): void {
  if (worker?.isConnected()) worker.send(message, () => {});
}
