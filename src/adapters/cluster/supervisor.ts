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

/** A worker that exits sooner than this after its start is restarted with a growing delay. */
const STEADY_MS = 10_000;
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 30_000;

export type SupervisorSettings = {
  readonly count: number;
  /** Environment variables of the workers in addition to those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The time for an orderly shutdown of the workers, in milliseconds. After that they are killed. */
  readonly endingMs: number;
  /** Logs a message about a worker. */
  readonly report: (
    level: 'info' | 'error',
    message: string,
    worker: number,
    pid: number | undefined,
  ) => void;
};

/** The number of a worker, and the process that has this number now. */
type Slot = { readonly number: number; worker: Worker | null; isServing: boolean };

/**
 * Runs several processes of the service on one port. It restarts workers that exit, collects their metrics, and stops
 * them in order. It serves no requests itself.
 */
export class Supervisor {
  readonly #settings: SupervisorSettings;
  readonly #slots: readonly Slot[];
  readonly #metrics = new ClusterMetrics();
  /** Aborted by `stop`: no worker is restarted after that. */
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(settings: SupervisorSettings) {
    this.#settings = settings;
    this.#slots = Array.from({ length: settings.count }, (_, i) => ({
      number: i + 1,
      worker: null,
      isServing: false,
    }));
  }

  /** Resolves when all workers serve. If one cannot start, it stops all and throws the error of that worker. */
  async start(): Promise<Ports> {
    try {
      const runs = await Promise.all(this.#slots.map((slot) => this.#run(slot)));
      for (const [i, { ended }] of runs.entries()) void this.#restartOnExit(this.#slots[i], ended);
      const [first] = runs;
      if (first === undefined) throw new Error('there is no worker to start');
      return first.ports;
    } catch (fault) {
      await this.stop();
      throw fault;
    }
  }

  /** Shuts all workers down in order. A second call returns the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Kills all workers that still run. */
  kill(): void {
    for (const { worker } of this.#slots) worker?.process.kill('SIGKILL');
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const running = this.#slots.flatMap(({ worker }) => (worker === null ? [] : [worker]));
    const ended = Promise.all(running.map((worker) => once(worker, 'exit')));
    for (const { process } of running) process.kill('SIGTERM');
    await Promise.race([ended, pause(this.#settings.endingMs, undefined, { ref: false })]);
    this.kill();
  }

  /** Restarts the worker of a slot each time it exits, with a growing delay, until `stop` is called. */
  async #restartOnExit(slot: Slot | undefined, firstEnded: Promise<string>): Promise<void> {
    if (slot === undefined) return;
    let ended = firstEnded;
    let waitMs = RESTART_FIRST_MS;
    for (;;) {
      const startedAt = performance.now();
      const reason = await ended;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - startedAt > STEADY_MS) waitMs = RESTART_FIRST_MS;
      this.#settings.report(
        'error',
        `a worker exited unexpectedly (${reason}); starting another`,
        slot.number,
        undefined,
      );
      await pause(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      waitMs = Math.min(RESTART_MAX_MS, waitMs * 2);
      if (this.#stopping.signal.aborted) return;
      ended = this.#run(slot).then(
        (run) => run.ended,
        (fault: Error) => fault.message,
      );
    }
  }

  /** Resolves when the worker serves. `ended` resolves to the reason of its exit. Throws that reason if it cannot start. */
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
        if (message.kind === 'metrics wanted') void this.#sendMetrics(worker, message.id);
        if (message.kind === 'metrics') this.#metrics.receive(worker, message.id, message.metrics);
      });
    });
    const ended = new Promise<string>((done) => {
      worker.once('error', (fault) => done(fault.message)); // The process could not be created.
      worker.once('exit', (code, signal) => done(failure ?? signal ?? `exit code ${code}`));
    }).then((reason) => {
      slot.worker = null;
      slot.isServing = false;
      this.#metrics.remove(worker);
      this.#sendWorkerCounts();
      return reason;
    });
    const ports = await Promise.race([
      listening,
      ended.then((reason): never => {
        throw new Error(reason);
      }),
    ]);
    slot.isServing = true;
    this.#settings.report('info', 'a worker accepts requests', slot.number, worker.process.pid);
    this.#sendWorkerCounts();
    return { ports, ended };
  }

  #sendWorkerCounts(): void {
    const serving = this.#serving();
    for (const worker of serving)
      send(worker, { kind: 'strength', serving: serving.length, of: this.#slots.length });
  }

  async #sendMetrics(requester: Worker, id: number): Promise<void> {
    const text = await this.#metrics.ofAll(this.#serving(), (worker, question) =>
      send(worker, { kind: 'own metrics wanted', id: question }),
    );
    send(requester, { kind: 'metrics of all', id, text });
  }

  #serving(): readonly Worker[] {
    return this.#slots.flatMap(({ worker, isServing }) => (worker !== null && isServing ? [worker] : []));
  }
}

/** Sends a message. Skips a worker that has disconnected because it shuts down. */
function send(worker: Worker, message: FromSupervisor): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
