import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** The number of answers by status or error, and the slowest of each. */
export type Tally = Readonly<Record<string, { readonly count: number; readonly slowestMs: number }>>;

export type Wanted = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The label of the request in the tally, before its status. */
  readonly kind: string;
};

export type Traffic = {
  /** Requests answered so far. */
  readonly count: () => number;
  /** Resolves after this many further answers. */
  readonly more: (requests: number) => Promise<void>;
  /** Stops the traffic and returns the tally. */
  readonly stop: () => Promise<Tally>;
};

/** The timeout of a request, which is then counted as `late`. */
const PATIENCE_MS = 2_500;

/**
 * Sends requests from `callers` concurrent callers over keep-alive connections, until it is stopped. A caller waits for
 * `refusedMs` after each answer other than 200.
 */
export function traffic(callers: number, wanted: (n: number) => Wanted, refusedMs = 0): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const tally: Record<string, { count: number; slowestMs: number }> = {};
  const waiting = new Set<{ readonly at: number; readonly done: () => void }>();
  let asked = 0;
  let answered = 0;
  let isOver = false;

  const note = (key: string, millis: number) => {
    const entry = tally[key] ?? { count: 0, slowestMs: 0 };
    tally[key] = { count: entry.count + 1, slowestMs: Math.max(entry.slowestMs, Math.round(millis)) };
    answered += 1;
    for (const one of waiting) {
      if (answered < one.at) continue;
      waiting.delete(one);
      one.done();
    }
  };
  const caller = async () => {
    while (!isOver) {
      const want = wanted(asked);
      asked += 1;
      const at = performance.now();
      const what = await answerTo(want, agent);
      note(`${want.kind} ${what}`, performance.now() - at);
      if (refusedMs > 0 && what !== '200') await setTimeout(refusedMs);
    }
  };
  const callersDone = Promise.all(Array.from({ length: callers }, caller));
  return {
    count: () => answered,
    more: (requests) =>
      new Promise((done) => {
        waiting.add({ at: answered + requests, done });
      }),
    stop: async () => {
      isOver = true;
      await callersDone;
      agent.destroy();
      return tally;
    },
  };
}

/** The status, with `without Retry-After` if a 503 has none; or the error. */
function answerTo({ url, headers }: Wanted, agent: Agent): Promise<string> {
  return new Promise((done) => {
    const sending = request(url, { headers, agent, timeout: PATIENCE_MS }, (answer) => {
      const { statusCode = 0 } = answer;
      const isBare = statusCode === 503 && answer.headers['retry-after'] === undefined;
      answer.resume().once('end', () => done(isBare ? '503 without Retry-After' : String(statusCode)));
      answer.once('error', () => done('cut off'));
    });
    sending.once('timeout', () => {
      done('late');
      sending.destroy();
    });
    sending.once('error', (fault: NodeJS.ErrnoException) => done(fault.code ?? fault.message));
    sending.end();
  });
}

/** The tally in one line, for the output of the test run. */
export const summaryOf = (tally: Tally): string =>
  Object.entries(tally)
    .map(([what, { count, slowestMs }]) => `${what} × ${count} (slowest ${slowestMs} ms)`)
    .join(', ');
