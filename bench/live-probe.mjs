// Loaded into the serving process of `npm run bench:live` before its own code. It answers questions of the bench, so that
// memory is compared after garbage collection, and the delay of the event loop is measured for each phase.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const COLLECTIONS = 4;
const BETWEEN_MS = 100;

/** An event loop without delay shows 10 ms. */
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

const QUESTIONS = {
  reset: async () => delay.reset(),
  delay: async () => ({ p99Ms: delay.percentile(99) / 1e6 }),
  memory: async () => {
    for (let n = 0; n < COLLECTIONS; n += 1) {
      collectGarbage();
      await pause(BETWEEN_MS);
    }
    return process.memoryUsage();
  },
};

process.on('message', async ({ question }) => {
  if (question !== undefined) process.send({ question, answer: await QUESTIONS[question]() });
});
process.channel?.unref();
