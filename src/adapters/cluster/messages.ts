/** Where the service listens; the same for every worker. */
export type Ports = { readonly port: number; readonly internalPort: number };

/** How many workers serve, of how many that should. */
export type Strength = { readonly serving: number; readonly of: number };

/** What a worker tells its supervisor. */
export type FromWorker =
  | ({ readonly kind: 'listening' } & Ports)
  | { readonly kind: 'failed'; readonly words: string }
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
