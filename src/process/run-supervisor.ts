import type { Logger } from 'pino';
import { Supervisor } from '../adapters/cluster/supervisor.js';
import { freePort } from '../adapters/postgres-server/postgres-server.js';
import { internalTokens } from '../adapters/system/internal-tokens.js';
import type { Config } from '../settings/config.js';
import { announce } from './announcement.js';
import { openEmbeddedDatabase } from './embedded-database.js';

/** After draining: what listeners and what runs beside them may take to end (`server.ts`, `background.ts`), and some more. */
const ENDING_MS = 30_000;

/** Several processes of the service on one port, under this one (`WEB_CONCURRENCY`, D43). */
export async function runSupervisor(
  given: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ readonly stop: () => Promise<void>; readonly kill: () => void }> {
  const { config, close } = await openEmbeddedDatabase(given, log);
  // Made before there are several who would make them.
  internalTokens(config);
  const environment = {
    // A free port is chosen once: workers that come later must find the same.
    PORT: String(config.port === 0 ? await freePort() : config.port),
    INTERNAL_PORT: String(config.internalPort === 0 ? await freePort() : config.internalPort),
    ...(config.databaseUrl !== undefined && { DATABASE_URL: config.databaseUrl }),
  };
  const supervisor = new Supervisor({
    count: config.workers,
    environment,
    endingMs: config.drainDelayMs + ENDING_MS,
    report: (level, message, worker, pid) => log[level]({ worker, pid }, message),
  });
  const stop = async () => {
    await supervisor.stop();
    await close();
  };
  signal.addEventListener('abort', () => void supervisor.stop());
  try {
    if (signal.aborted) throw new Error('told to stop before it had started');
    const ports = await supervisor.start();
    log.info({ port: ports.port, internal_port: ports.internalPort, workers: config.workers }, 'all serve');
    announce(config, ports);
    return { stop, kill: () => supervisor.kill() };
  } catch (fault) {
    await close();
    throw fault;
  }
}
