import { type Listener, listen } from './adapters/http/server.js';
import { startBackground } from './background.js';
import type { Config } from './config.js';
import type { Composition } from './container.js';
import {
  INTERNAL_API,
  INTERNAL_PARSER_ERRORS,
  LIFECYCLE,
  LOG,
  PUBLIC_ADDRESS,
  PUBLIC_HANDLER,
  PUBLIC_PARSER_ERRORS,
} from './parts.js';

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
  const open = await listen(get(PUBLIC_HANDLER), {
    host: config.host,
    port: config.port,
    requestTimeoutMs: PUBLIC_REQUEST_MS,
    onParserError: get(PUBLIC_PARSER_ERRORS),
  }).catch(async (fault: unknown) => {
    await internal.stop();
    throw fault;
  });
  get(PUBLIC_ADDRESS).listening(open.port);
  const stopBackground = startBackground(service);
  get(LOG).info({ port: open.port, internal_port: internal.port }, 'listening');
  return {
    port: open.port,
    internalPort: internal.port,
    stop: () => stop(service, [open, internal], stopBackground, config.drainDelayMs),
  };
}

async function stop(
  { get, close }: Composition,
  listeners: readonly Listener[],
  stopBackground: () => Promise<void>,
  drainDelayMs: number,
): Promise<void> {
  get(LOG).info({ drain_delay_ms: drainDelayMs }, 'draining');
  get(LIFECYCLE).drain();
  // Time for whoever asks /readyz to send requests elsewhere.
  await new Promise((done) => setTimeout(done, drainDelayMs));
  await Promise.all(listeners.map((listener) => listener.stop()));
  await stopBackground();
  await close();
  get(LOG).info('stopped');
}
