import { announce } from './announcement.js';
import { readConfig } from './config.js';
import { compose } from './container.js';
import { LOG, TOKENS } from './parts.js';
import { startService } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

const config = readConfig(process.env);
if ('faults' in config) {
  for (const fault of config.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}

const service = compose(config);
const starting = startService(service, config);
// Before it listens: whoever sees it listen may tell it to stop.
stopOnSignals(async () => (await starting).stop(), service.get(LOG));
const running = await starting.catch((fault: unknown) => {
  console.error(`oddswire: cannot start: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(1);
});
announce(config, running, service.get(TOKENS));
