/** The ports of the service, the same for every worker. */
export type Ports = { readonly port: number; readonly internalPort: number };

/** The number of serving workers and the configured number. */
export type WorkerCounts = { readonly serving: number; readonly of: number };

/** Messages from a worker to its supervisor. */
export type FromWorker =
  | ({ readonly kind: 'listening' } & Ports)
  | { readonly kind: 'failed'; readonly message: string }
  /** Asks for the metrics of all workers. */
  | { readonly kind: 'metrics wanted'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: object[] };

/** Messages from a supervisor to a worker. */
export type FromSupervisor =
  | ({ readonly kind: 'strength' } & WorkerCounts)
  | { readonly kind: 'own metrics wanted'; readonly id: number }
  /** `text` is null if a worker did not answer in time. */
  | { readonly kind: 'metrics of all'; readonly id: number; readonly text: string | null };

/** The environment variable with the number of the worker. */
export const WORKER_SETTING = 'ODDSWIRE_WORKER';
/**
 * `1` if other workers serve when this worker starts. The worker then opens the internal port only when it serves too.
 * Workers share this port: if the worker opened it earlier, it would answer some requests with 503 although the service
 * runs.
 */
export const OTHERS_SERVE_SETTING = 'ODDSWIRE_OTHERS_SERVE';
