import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './child-messages.mjs';
import { atEnd, BenchFailure } from './run-bench.mjs';

const SCRIPT = fileURLToPath(new URL('live-reader.mjs', import.meta.url));

/** Starts reader processes, which share the streams that they open. */
export function startReaders(processes) {
  const children = Array.from({ length: processes }, () => {
    const child = fork(SCRIPT);
    atEnd(() => child.kill());
    return child;
  });
  const tell = (command, detailsOf = () => ({})) =>
    Promise.all(children.map((child, i) => answerOf(child, { command, ...detailsOf(i) })));
  const share = (count, i) => Math.floor(count / processes) + (i < count % processes ? 1 : 0);
  return {
    /** Opens `count` streams of `{ url, form, key }`. */
    open: ({ url, form, key }, count) => tell('open', (i) => ({ url, form, key, count: share(count, i) })),
    /** Counts the items from zero again. */
    reset: () => tell('reset'),
    /** Resolves when each stream has got `items`: for each item the time of the last reader, in ms of `machineMillis`. */
    until: async (items) => {
      const times = await tell('until', () => ({ items }));
      return Array.from({ length: items }, (_, n) => Math.max(...times.map((ofOne) => ofOne[n])));
    },
    /** Closes the streams beyond `count`. */
    keep: (count) => tell('keep', (i) => ({ count: share(count, i) })),
  };
}

/** Milliseconds of the clock of the machine, which is the same in all processes. */
export const machineMillis = () => Number(process.hrtime.bigint()) / 1e6;

async function answerOf(child, message) {
  child.send(message);
  const reply = await nextMessage(child);
  if (reply.fault !== undefined) throw new BenchFailure(`a reader failed: ${reply.fault}`);
  return reply.answer;
}
