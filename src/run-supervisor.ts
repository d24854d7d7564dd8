import type { Logger } from 'pino';
import { Supervisor } from './adapters/cluster/supervisor.js';
import { announce } from './announcement.js';
import type { Config } from './config.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { tokensOf } from './wire-process.js';

/** Several processes of the service on one port, under this one (`WEB_CONCURRENCY`, D43). */
export async function runSupervisor(
  given: Config,
  log: Logger,
  told: AbortSignal,
): Promise<{ readonly stop: () => Promise<void>; readonly kill: () => void }> {
  const { config, close } = await openEmbeddedDatabase(given, log);
  // Made before there are several who would make them.
  const tokens = tokensOf(config);
  const environment = config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl };
  const supervisor = new Supervisor(config.workers, environment, (level, words, worker, pid) =>
    log[level]({ worker, pid }, words),
  );
  const stop = async () => {
    await supervisor.stop();
    await close();
  };
  told.addEventListener('abort', () => void supervisor.stop());
  try {
    const ports = await supervisor.start();
    log.info({ port: ports.port, internal_port: ports.internalPort, workers: config.workers }, 'all serve');
    announce(config, ports, tokens);
    return { stop, kill: () => supervisor.kill() };
  } catch (fault) {
    await close();
    throw fault;
  }
}
