import { mayTakeOver } from '../adapters/http/feed/stream/stream-form.js';
import { Connections } from '../adapters/http/listener/connections.js';
import { dateHeader } from '../adapters/http/listener/date-header.js';
import { type Listener, listen } from '../adapters/http/listener/server.js';
import type { Composition, Parts } from '../composition/compose.js';
import type { Config } from '../settings/config.js';
import { startBackground } from './background.js';
import { listenFailure } from './listen-failure.js';

/** The time in which a header must arrive, a whole public request, and a whole internal request (T9, D30). */
const HEADER_MS = 10_000;
const PUBLIC_REQUEST_MS = 15_000;
const INTERNAL_REQUEST_MS = 600_000;

/**
 * How much of a body is read after an early response. On the internal listener it is as much as a publication may have
 * (D30).
 */
const PUBLIC_DRAIN = { bytesMax: 256 * 1_024, deadlineMs: 5_000 } as const;
const INTERNAL_DRAIN = { bytesMax: 64 * 1_024 * 1_024, deadlineMs: 5_000 } as const;

const NEVER = new AbortController().signal;

export type RunningService = {
  readonly port: number;
  readonly internalPort: number;
  /** Stops accepting requests, finishes those in progress, then closes the stores (T8). */
  readonly stop: () => Promise<void>;
};

/**
 * Opens both listeners of a composed service and starts the background jobs. The internal listener opens first, so that
 * `/readyz` reports what the start waits for. If `healthFirst` is false, it opens after the stores, like the public
 * listener.
 */
export async function startService(
  service: Composition,
  config: Config,
  {
    signal = NEVER,
    healthFirst = true,
  }: { readonly signal?: AbortSignal; readonly healthFirst?: boolean } = {},
): Promise<RunningService> {
  const opened: Listener[] = [];
  const opening = async (listener: Promise<Listener>) => {
    opened.push(await listener);
    return listener;
  };
  try {
    const earlyInternal = healthFirst ? await opening(openInternal(service, config)) : null;
    await service.open(signal);
    service.parts.lifecycle.started();
    const internal = earlyInternal ?? (await opening(openInternal(service, config)));
    const publicListener = await opening(openPublic(service, config));
    return serve(service, config, { internal, publicListener });
  } catch (fault) {
    await Promise.all(opened.map((listener) => listener.stop()));
    await service.close();
    throw fault;
  }
}

function serve(
  service: Composition,
  config: Config,
  { internal, publicListener }: { readonly internal: Listener; readonly publicListener: Listener },
): RunningService {
  const { parts } = service;
  parts.publicAddress.listening(publicListener.port);
  const stopBackground = startBackground(parts);
  parts.log.info({ port: publicListener.port, internal_port: internal.port }, 'listening');
  return {
    port: publicListener.port,
    internalPort: internal.port,
    stop: () => stop(service, [publicListener, internal], stopBackground, config.drainDelayMs),
  };
}

async function openInternal({ parts }: Composition, config: Config): Promise<Listener> {
  const { internalHost: host, internalPort: port } = config;
  const address = { hostSetting: 'INTERNAL_HOST', portSetting: 'INTERNAL_PORT', host, port } as const;
  return await listen(parts.internalApi.callback(), {
    host,
    port,
    headerTimeoutMs: HEADER_MS,
    requestTimeoutMs: INTERNAL_REQUEST_MS,
    unreadAnswerMs: config.unreadAnswerMs,
    keepAliveMs: config.keepAliveMs,
    drain: INTERNAL_DRAIN,
    connections: new Connections(0),
    onParserError: parts.internalParserErrors,
    prepare: prepared(parts),
  }).catch((fault: unknown) => {
    throw listenFailure(fault, address);
  });
}

async function openPublic({ parts }: Composition, config: Config): Promise<Listener> {
  const { host, port } = config;
  return await listen(parts.publicHandler, {
    host,
    port,
    headerTimeoutMs: HEADER_MS,
    requestTimeoutMs: PUBLIC_REQUEST_MS,
    unreadAnswerMs: config.unreadAnswerMs,
    keepAliveMs: config.keepAliveMs,
    drain: PUBLIC_DRAIN,
    connections: parts.connections,
    onParserError: parts.publicParserErrors,
    prepare: prepared(parts),
    mayTakeOver,
    overload: parts.overload,
  }).catch((fault: unknown) => {
    throw listenFailure(fault, { hostSetting: 'HOST', portSetting: 'PORT', host, port });
  });
}

/** With a test clock, the `Date` header shows its time. */
const prepared = ({ testClock, clock }: Parts) => (testClock === null ? undefined : dateHeader(clock));

async function stop(
  { parts, close }: Composition,
  listeners: readonly Listener[],
  stopBackground: () => Promise<void>,
  drainDelayMs: number,
): Promise<void> {
  parts.log.info({ drain_delay_ms: drainDelayMs }, 'draining');
  parts.lifecycle.drain();
  // A load balancer polls /readyz. During this delay it notices the shutdown and sends requests to other instances.
  const delay = new Promise((done) => setTimeout(done, drainDelayMs));
  await Promise.all([delay, parts.streams.drain(drainDelayMs), parts.sandboxStreams.drain(drainDelayMs)]);
  await Promise.all(listeners.map((listener) => listener.stop()));
  await stopBackground();
  await close();
  parts.log.info('stopped');
}
