import { jsonLog } from './adapters/system/json-log.js';
import { announce } from './announcement.js';
import { type Config, readConfig } from './config.js';
import { compose } from './container.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { LOG, TOKENS } from './parts.js';
import { startService } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

const settings = readConfig(process.env);
if ('faults' in settings) {
  for (const fault of settings.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}

const log = jsonLog(settings.logLevel);
const told = new AbortController();
const starting = start(settings);
// Before it listens: whoever sees it listen may tell it to stop.
stopOnSignals(async () => {
  told.abort();
  await starting.then(
    ({ stop }) => stop(),
    () => {}, // It never came up, and says why below.
  );
}, log);
await starting.catch((fault: unknown) => {
  if (told.signal.aborted) process.exit(0);
  console.error(`oddswire: cannot start: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(1);
});

async function start(given: Config) {
  const { config, close } = await openEmbeddedDatabase(given, log);
  try {
    const service = compose(config, ({ part }) => part(LOG, () => log));
    const running = await startService(service, config, told.signal);
    announce(config, running, service.get(TOKENS));
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
