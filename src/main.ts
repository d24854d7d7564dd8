import { workerNumber } from './adapters/cluster/worker.js';
import { processLog } from './adapters/system/process-log.js';
import { stopOnSignals } from './process/stop-on-signals.js';
import { type Config, readConfig } from './settings/config.js';
import { processEnvironment } from './settings/process-environment.js';

const worker = workerNumber(process.env);
// A worker inherits the environment of its supervisor, which has read `.env` and logged the warnings.
const environment = worker === null ? processEnvironment() : process.env;
const warnings: string[] = [];
const settings = readConfig(environment, (line) => warnings.push(line));
if ('faults' in settings) {
  for (const line of [...settings.faults, ...warnings]) console.error(`oddswire: ${line}`);
  process.exit(1);
}

const log = worker === null ? processLog(settings) : processLog(settings).child({ worker });
if (worker === null) for (const line of warnings) log.warn(line);
// Node.js prints its warnings to standard error. Here they are lines of the log.
process.removeAllListeners('warning');
process.on('warning', (err) => log.warn({ err }, 'a warning of the process'));
const abort = new AbortController();
const starting = start(settings);
let kill = () => {};
// Registered before the start completes: a process manager may send a signal as soon as the port is open.
stopOnSignals({
  log,
  // Ctrl-C sends SIGINT to every process of the group, but the supervisor stops its workers with SIGTERM. A worker
  // therefore ignores SIGINT. A second SIGTERM has no effect on it.
  signals: worker === null ? ['SIGTERM', 'SIGINT'] : ['SIGTERM'],
  stop: async () => {
    abort.abort();
    await starting.then(
      ({ stop }) => stop(),
      () => {}, // The start failed. The code below reports why.
    );
  },
  onSecondSignal: worker === null ? () => kill() : null,
});
if (worker !== null) process.on('SIGINT', () => {});
await starting.catch((fault: unknown) => {
  if (abort.signal.aborted) process.exit(0);
  // The supervisor reports the failure of its workers once.
  if (worker === null)
    console.error(`oddswire: cannot start: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(1);
});

/** Loads only the code that this process needs: a supervisor serves no requests. */
async function start(config: Config): Promise<{ readonly stop: () => Promise<void> }> {
  if (worker !== null) {
    const { runWorker } = await import('./process/run-worker.js');
    return runWorker(worker, config, log, abort.signal);
  }
  if (config.workers > 1) {
    const { runSupervisor } = await import('./process/run-supervisor.js');
    const running = await runSupervisor(config, log, abort.signal);
    kill = running.kill;
    return running;
  }
  const { runAlone } = await import('./process/run-alone.js');
  return runAlone(config, log, abort.signal);
}
