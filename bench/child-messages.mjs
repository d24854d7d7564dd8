import { once } from 'node:events';
import { BenchFailure } from './run-bench.mjs';

/** The next message of a child process. Throws `BenchFailure` if the process exits instead. */
export async function nextMessage(child) {
  const ending = new AbortController();
  const { signal } = ending;
  const message = once(child, 'message', { signal });
  const exit = once(child, 'exit', { signal });
  // One of them is aborted below.
  for (const waiting of [message, exit]) waiting.catch(() => {});
  try {
    return await Promise.race([
      message.then(([content]) => content),
      exit.then(([code]) => throwExited(code)),
    ]);
  } finally {
    ending.abort();
  }
}

function throwExited(code) {
  throw new BenchFailure(`a process of the bench has exited with ${code}`);
}
