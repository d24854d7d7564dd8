/** Where the service listens; the same for every worker. */
export type Ports = { readonly port: number; readonly internalPort: number };

/** How many workers serve, of how many that should. */
export type Strength = { readonly serving: number; readonly of: number };

/** What a worker tells its supervisor. */
export type FromWorker =
  | ({ readonly kind: 'listening' } & Ports)
  | { readonly kind: 'failed'; readonly message: string }
  /** Somebody asks for the metrics of all. */
  | { readonly kind: 'metrics wanted'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: object[] };

/** What a supervisor tells a worker. */
export type FromSupervisor =
  | ({ readonly kind: 'strength' } & Strength)
  | { readonly kind: 'own metrics wanted'; readonly id: number }
  /** Null where not all have answered. */
  | { readonly kind: 'metrics of all'; readonly id: number; readonly text: string | null };

/** The setting by which a process knows that it is a worker, and which. */
export const WORKER_SETTING = 'ODDSWIRE_WORKER';
/**
 * `1` where other workers serve when this one starts. It then keeps out of the internal port until it serves too: the
 * port is shared, and a part of the requests to it would be told that the service is starting.
 */
export const OTHERS_SERVE_SETTING = 'ODDSWIRE_OTHERS_SERVE';
