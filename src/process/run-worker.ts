import type { Logger } from 'pino';
import {
  areOthersServing,
  reportFailure,
  reportListening,
  SupervisorChannel,
} from '../adapters/cluster/worker.js';
import { compose } from '../composition/compose.js';
import type { Config } from '../settings/config.js';
import { startService } from './service.js';

/** Runs the service as one of several workers. The supervisor knows their number and collects the metrics of all. */
export async function runWorker(
  number: number,
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ readonly stop: () => Promise<void> }> {
  try {
    const service = await compose(config, (parts, { reporting }) => {
      const channel = new SupervisorChannel(() => parts.metrics.json());
      reporting(() => {
        const { serving, of } = channel.workerCounts;
        return {
          dependency: 'workers',
          state: serving < of ? 'degraded' : 'up',
          text: `${serving} of ${of} workers accept requests; this is worker ${number}`,
        };
      });
      return { log: () => log, metricsText: () => () => channel.metrics() };
    });
    const running = await startService(service, config, {
      signal,
      healthFirst: !areOthersServing(process.env),
    });
    reportListening(running);
    return running;
  } catch (fault) {
    await reportFailure(fault instanceof Error ? fault.message : String(fault));
    throw fault;
  }
}
