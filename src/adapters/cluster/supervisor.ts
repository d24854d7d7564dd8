import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ClusterMetrics } from './cluster-metrics.js';
import {
  type FromSupervisor,
  type FromWorker,
  OTHERS_SERVE_SETTING,
  type Ports,
  WORKER_SETTING,
} from './messages.js';
import { closeUndeliveredConnections } from './undelivered-connections.js';

/** Who ends sooner than this after its start is started again later and later. */
const STEADY_MS = 10_000;
const RESTART_FIRST_MS = 100;
const RESTART_MOST_MS = 30_000;

export type SupervisorSettings = {
  readonly count: number;
  /** Settings of the workers beyond those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long workers may take to end in order; one that hangs beyond it is ended. */
  readonly endingMs: number;
  /** Tells of a worker, in words for an operator. */
  readonly report: (
    level: 'info' | 'error',
    message: string,
    worker: number,
    pid: number | undefined,
  ) => void;
};

/** One place among the workers, and who has it. */
type Slot = { readonly number: number; worker: Worker | null; isServing: boolean };

/**
 * Runs so many processes of the service on one port: starts one anew when it dies, asks all of them for their metrics,
 * and ends them in order. It serves nothing itself.
 */
export class Supervisor {
  readonly #settings: SupervisorSettings;
  readonly #slots: readonly Slot[];
  readonly #metrics = new ClusterMetrics();
  /** Aborted when it is to end: whoever waits to start a worker anew then does not. */
  readonly #ending = new AbortController();
  #end: Promise<void> | undefined;

  constructor(settings: SupervisorSettings) {
    this.#settings = settings;
    this.#slots = Array.from({ length: settings.count }, (_, i) => ({
      number: i + 1,
      worker: null,
      isServing: false,
    }));
  }

  /** Answers when all serve. Where one cannot, none does, and the cause is thrown. */
  async start(): Promise<Ports> {
    try {
      const runs = await Promise.all(this.#slots.map((slot) => this.#run(slot)));
      for (const [i, { ended }] of runs.entries()) void this.#keep(this.#slots[i], ended);
      const [first] = runs;
      if (first === undefined) throw new Error('there is no worker to start');
      return first.ports;
    } catch (fault) {
      await this.stop();
      throw fault;
    }
  }

  /** Ends all in order; to be told twice makes no difference. */
  stop(): Promise<void> {
    this.#end ??= this.#stop();
    return this.#end;
  }

  /** Ends at once what is left. */
  kill(): void {
    for (const { worker } of this.#slots) worker?.process.kill('SIGKILL');
  }

  async #stop(): Promise<void> {
    this.#ending.abort();
    const left = this.#slots.flatMap(({ worker }) => (worker === null ? [] : [worker]));
    const ended = Promise.all(left.map((worker) => once(worker, 'exit')));
    for (const { process } of left) process.kill('SIGTERM');
    await Promise.race([ended, pause(this.#settings.endingMs, undefined, { ref: false })]);
    this.kill();
  }

  /** Starts a worker anew whenever the one in a place has ended, sooner or later, until all are to end. */
  async #keep(slot: Slot | undefined, firstEnded: Promise<string>): Promise<void> {
    if (slot === undefined) return;
    let ended = firstEnded;
    let waitMs = RESTART_FIRST_MS;
    for (;;) {
      const startedAt = performance.now();
      const how = await ended;
      if (this.#ending.signal.aborted) return;
      if (performance.now() - startedAt > STEADY_MS) waitMs = RESTART_FIRST_MS;
      this.#settings.report(
        'error',
        `a worker ended by itself (${how}); another takes its place`,
        slot.number,
        undefined,
      );
      await pause(waitMs, undefined, { signal: this.#ending.signal }).catch(() => {});
      waitMs = Math.min(RESTART_MOST_MS, waitMs * 2);
      if (this.#ending.signal.aborted) return;
      ended = this.#run(slot).then(
        (run) => run.ended,
        (fault: Error) => fault.message,
      );
    }
  }

  /** Answers when the worker serves, with the promise of its end; throws, with its words, when it cannot. */
  async #run(slot: Slot): Promise<{ readonly ports: Ports; readonly ended: Promise<string> }> {
    const worker = cluster.fork({
      ...this.#settings.environment,
      [WORKER_SETTING]: String(slot.number),
      [OTHERS_SERVE_SETTING]: this.#serving().length > 0 ? '1' : '0',
    });
    closeUndeliveredConnections(worker);
    slot.worker = worker;
    let failure: string | null = null;
    const listening = new Promise<Ports>((done) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') done(message);
        if (message.kind === 'failed') failure = message.message;
        if (message.kind === 'metrics wanted') void this.#tellMetrics(worker, message.id);
        if (message.kind === 'metrics') this.#metrics.take(worker, message.id, message.metrics);
      });
    });
    const ended = new Promise<string>((done) => {
      worker.once('error', (fault) => done(fault.message)); // It could not be started at all.
      worker.once('exit', (code, signal) => done(failure ?? signal ?? `exit code ${code}`));
    }).then((how) => {
      slot.worker = null;
      slot.isServing = false;
      this.#metrics.leave(worker);
      this.#tellStrength();
      return how;
    });
    const ports = await Promise.race([
      listening,
      ended.then((how): never => {
        throw new Error(how);
      }),
    ]);
    slot.isServing = true;
    this.#settings.report('info', 'a worker serves', slot.number, worker.process.pid);
    this.#tellStrength();
    return { ports, ended };
  }

  #tellStrength(): void {
    const serving = this.#serving();
    for (const worker of serving)
      send(worker, { kind: 'strength', serving: serving.length, of: this.#slots.length });
  }

  async #tellMetrics(asking: Worker, id: number): Promise<void> {
    const text = await this.#metrics.ofAll(this.#serving(), (worker, question) =>
      send(worker, { kind: 'own metrics wanted', id: question }),
    );
    send(asking, { kind: 'metrics of all', id, text });
  }

  #serving(): readonly Worker[] {
    return this.#slots.flatMap(({ worker, isServing }) => (worker !== null && isServing ? [worker] : []));
  }
}

/** One that is on its way out hears nothing more. */
function send(worker: Worker, message: FromSupervisor): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
