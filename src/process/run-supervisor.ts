import type { Logger } from 'pino';
import { Supervisor } from '../adapters/cluster/supervisor.js';
import { freePorts } from '../adapters/postgres-server/postgres-server.js';
import { internalTokens } from '../adapters/system/internal-tokens.js';
import type { Config } from '../settings/config.js';
import { announce } from './announcement.js';
import { openEmbeddedDatabase } from './embedded-database.js';

/**
 * The time for the shutdown of a worker after draining. Listeners and background jobs may take less than this
 * (`server.ts`, `background.ts`).
 */
const STOP_TIMEOUT_MS = 30_000;

/** Runs several worker processes on one port, with this process as their supervisor (`WEB_CONCURRENCY`, D43, D112). */
export async function runSupervisor(
  given: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ readonly stop: () => Promise<void>; readonly kill: () => void }> {
  const { config, close } = await openEmbeddedDatabase(given, log);
  // Generates the tokens before the workers start, so that no two workers generate them.
  internalTokens(config);
  // Free ports are chosen once, so that all workers share them.
  const [port = 0, internalPort = 0] = await freePorts(2);
  const environment = {
    PORT: String(config.port === 0 ? port : config.port),
    INTERNAL_PORT: String(config.internalPort === 0 ? internalPort : config.internalPort),
    ...(config.databaseUrl !== undefined && { DATABASE_URL: config.databaseUrl }),
  };
  const supervisor = new Supervisor({
    count: config.workers,
    environment,
    endingMs: config.drainDelayMs + STOP_TIMEOUT_MS,
    report: (level, message, worker, pid) => log[level]({ worker, pid }, message),
  });
  const stop = async () => {
    await supervisor.stop();
    await close();
  };
  signal.addEventListener('abort', () => void supervisor.stop());
  try {
    if (signal.aborted) throw new Error('stopped before it had started');
    const ports = await supervisor.start();
    log.info(
      { port: ports.port, internal_port: ports.internalPort, workers: config.workers },
      'all workers accept requests',
    );
    announce(config, ports);
    return { stop, kill: () => supervisor.kill() };
  } catch (fault) {
    await close();
    throw fault;
  }
}
