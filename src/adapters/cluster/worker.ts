import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../application/unavailable.js';
import {
  type FromSupervisor,
  type FromWorker,
  OTHERS_SERVE_SETTING,
  type Ports,
  WORKER_SETTING,
  type WorkerCounts,
} from './messages.js';

const METRICS_TIMEOUT_MS = 5_000;

/** The worker's end of the message channel to its supervisor. */
export class SupervisorChannel {
  readonly #ownMetrics: () => Promise<object[]>;
  readonly #requests = new Map<number, (text: string | null) => void>();
  #workerCounts: WorkerCounts = { serving: 1, of: 1 };
  #lastId = 0;

  constructor(ownMetrics: () => Promise<object[]>) {
    this.#ownMetrics = ownMetrics;
    process.on('message', (message: FromSupervisor) => void this.#receive(message));
  }

  get workerCounts(): WorkerCounts {
    return this.#workerCounts;
  }

  /** The metrics of all workers in the format of Prometheus. Throws `Unavailable` if a worker does not answer in time. */
  async metrics(): Promise<string> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<string | null>((done) => this.#requests.set(id, done));
    send({ kind: 'metrics wanted', id });
    const text = await Promise.race([answered, pause(METRICS_TIMEOUT_MS, null, { ref: false })]);
    this.#requests.delete(id);
    if (text === null) throw new Unavailable('a worker');
    return text;
  }

  async #receive(message: FromSupervisor): Promise<void> {
    switch (message.kind) {
      case 'strength':
        this.#workerCounts = message;
        return;
      case 'own metrics wanted':
        send({ kind: 'metrics', id: message.id, metrics: await this.#ownMetrics() });
        return;
      case 'metrics of all':
        this.#requests.get(message.id)?.(message.text);
    }
  }
}

/** The number of this worker; null for a process without a supervisor. */
export function workerNumber(environment: Readonly<Record<string, string | undefined>>): number | null {
  const number = environment[WORKER_SETTING];
  return number === undefined ? null : Number(number);
}

/** Whether other workers were already serving when this one started. */
export const areOthersServing = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment[OTHERS_SERVE_SETTING] === '1';

/** Tells the supervisor that this worker serves, and on which ports. */
export const reportListening = ({ port, internalPort }: Ports): void =>
  send({ kind: 'listening', port, internalPort });

/** Tells the supervisor why this worker cannot start. */
export const reportFailure = (message: string): Promise<void> =>
  new Promise((done) => send({ kind: 'failed', message }, done));

function send(message: FromWorker, done: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => done());
  else done();
}
