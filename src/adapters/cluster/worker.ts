import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../application/unavailable.js';
import {
  type FromSupervisor,
  type FromWorker,
  OTHERS_SERVE_SETTING,
  type Ports,
  type Strength,
  WORKER_SETTING,
} from './messages.js';

const METRICS_MS = 5_000;

/** The line between a worker and its supervisor, as the worker holds it. */
export class WorkerLine {
  readonly #ownMetrics: () => Promise<object[]>;
  readonly #asked = new Map<number, (text: string | null) => void>();
  #strength: Strength = { serving: 1, of: 1 };
  #lastId = 0;

  constructor(ownMetrics: () => Promise<object[]>) {
    this.#ownMetrics = ownMetrics;
    process.on('message', (message: FromSupervisor) => void this.#take(message));
  }

  get strength(): Strength {
    return this.#strength;
  }

  /** The metrics of all workers, in the format of Prometheus. */
  async metrics(): Promise<string> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<string | null>((done) => this.#asked.set(id, done));
    tell({ kind: 'metrics wanted', id });
    const text = await Promise.race([answered, pause(METRICS_MS, null, { ref: false })]);
    this.#asked.delete(id);
    if (text === null) throw new Unavailable('one of the workers');
    return text;
  }

  async #take(message: FromSupervisor): Promise<void> {
    switch (message.kind) {
      case 'strength':
        this.#strength = message;
        return;
      case 'own metrics wanted':
        tell({ kind: 'metrics', id: message.id, metrics: await this.#ownMetrics() });
        return;
      case 'metrics of all':
        this.#asked.get(message.id)?.(message.text);
    }
  }
}

/** Which worker this process is; null for one that was started by itself. */
export function workerNumber(environment: Readonly<Record<string, string | undefined>>): number | null {
  const number = environment[WORKER_SETTING];
  return number === undefined ? null : Number(number);
}

/** Whether other workers served already when this one was started. */
export const doOthersServe = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment[OTHERS_SERVE_SETTING] === '1';

/** That this worker serves, and where. */
export const tellListening = ({ port, internalPort }: Ports): void =>
  tell({ kind: 'listening', port, internalPort });

/** Why this worker cannot start, for its supervisor to tell. */
export const tellFailure = (message: string): Promise<void> =>
  new Promise((done) => tell({ kind: 'failed', message }, done));

function tell(message: FromWorker, done: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => done());
  else done();
}
