import type { Logger } from 'pino';
import { compose } from '../composition/compose.js';
import type { Config } from '../settings/config.js';
import { announce } from './announcement.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { startService } from './service.js';

/** Runs the service in this process, without workers. */
export async function runAlone(
  given: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ readonly stop: () => Promise<void> }> {
  const { config, close } = await openEmbeddedDatabase(given, log);
  try {
    const service = await compose(config, () => ({ log: () => log }));
    const running = await startService(service, config, { signal });
    announce(config, running);
    const stop = async () => {
      await running.stop();
      await close();
    };
    return { stop };
  } catch (fault) {
    await close();
    throw fault;
  }
}
