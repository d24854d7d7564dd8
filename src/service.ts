import { type Listener, listen } from './adapters/http/server.js';
import { Unavailable } from './application/unavailable.js';
import type { Config } from './config.js';
import type { Composition } from './container.js';
import {
  INTERNAL_API,
  INTERNAL_PARSER_ERRORS,
  LIFECYCLE,
  LOG,
  PUBLIC_API,
  PUBLIC_PARSER_ERRORS,
  RUN_DUE_WORK,
} from './parts.js';

/** How often what falls due is looked for; nothing is done later than this after its time. */
const DUE_WORK_EVERY_MS = 5_000;
/** How long a request to the public listener may take to arrive, and one to the internal (T9, D30). */
const PUBLIC_REQUEST_MS = 15_000;
const INTERNAL_REQUEST_MS = 600_000;

const NEVER = new AbortController().signal;

export type RunningService = {
  readonly port: number;
  readonly internalPort: number;
  /** Ends in order: no new requests, those in hand to their end, then the stores (T8). */
  readonly stop: () => Promise<void>;
};

/** Opens both listeners of a composed service and starts what runs beside them. */
export async function startService(
  service: Composition,
  config: Config,
  told: AbortSignal = NEVER,
): Promise<RunningService> {
  try {
    await service.open(told);
    return await listenAndWork(service, config);
  } catch (fault) {
    await service.close();
    throw fault;
  }
}

async function listenAndWork(service: Composition, config: Config): Promise<RunningService> {
  const { get } = service;
  const internal = await listen(get(INTERNAL_API).callback(), {
    host: config.internalHost,
    port: config.internalPort,
    requestTimeoutMs: INTERNAL_REQUEST_MS,
    onParserError: get(INTERNAL_PARSER_ERRORS),
  });
  const open = await listen(get(PUBLIC_API).callback(), {
    host: config.host,
    port: config.port,
    requestTimeoutMs: PUBLIC_REQUEST_MS,
    onParserError: get(PUBLIC_PARSER_ERRORS),
  }).catch(async (fault: unknown) => {
    await internal.stop();
    throw fault;
  });
  const stopDueWork = startDueWork(service);
  get(LOG).info({ port: open.port, internal_port: internal.port }, 'listening');
  return {
    port: open.port,
    internalPort: internal.port,
    stop: () => stop(service, [open, internal], stopDueWork, config.drainDelayMs),
  };
}

async function stop(
  { get, close }: Composition,
  listeners: readonly Listener[],
  stopDueWork: () => void,
  drainDelayMs: number,
): Promise<void> {
  get(LOG).info({ drain_delay_ms: drainDelayMs }, 'draining');
  get(LIFECYCLE).drain();
  // Time for whoever asks /readyz to send requests elsewhere.
  await new Promise((done) => setTimeout(done, drainDelayMs));
  await Promise.all(listeners.map((listener) => listener.stop()));
  stopDueWork();
  await close();
  get(LOG).info('stopped');
}

/** Looks for due work at intervals, one round at a time; a round that fails is reported, and the next one tries again. */
function startDueWork({ get }: Composition): () => void {
  let running = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    try {
      await get(RUN_DUE_WORK)();
    } catch (fault) {
      // A part that is away has a line of its own; the work waits for it.
      if (!(fault instanceof Unavailable)) get(LOG).error({ err: fault }, 'due work failed');
    } finally {
      running = false;
    }
  }, DUE_WORK_EVERY_MS);
  return () => clearInterval(timer);
}
