import { Agent, type IncomingMessage, request } from 'node:http';

export type OpenLoop = {
  /** The number of requests by status or error code. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the requests on connections that were open, and of those on new ones. */
  readonly p99OfOpenMs: number;
  readonly p99OfNewMs: number;
};

export type Load = {
  readonly perSecond: number;
  readonly count: number;
  /** The connections that are kept open, opened before the first request. Undefined: opened as needed. */
  readonly connections?: number;
};

export type LoadRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly localAddress: string;
  readonly isOnNewConnection: boolean;
};

/**
 * Sends `count` requests at a fixed rate, whether or not earlier ones are answered. `wanted` gives the nth request, its
 * local address, and whether it uses a new connection.
 */
export async function openLoop(load: Load, wanted: (n: number) => LoadRequest): Promise<OpenLoop> {
  const { connections } = load;
  const agent = new Agent({ keepAlive: true, ...(connections !== undefined && { maxSockets: connections }) });
  const { url, headers, localAddress } = wanted(0);
  const opened = Array.from({ length: connections ?? 0 }, () =>
    statusOf(url, { headers, localAddress, agent }),
  );
  await Promise.all(opened);
  const statuses: Record<string, number> = {};
  const ofOpen: number[] = [];
  const ofNew: number[] = [];
  const startedAt = performance.now();
  const answers = [];
  for (let n = 0; n < load.count; n += 1) {
    const dueAt = startedAt + (n * 1_000) / load.perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    const { url, headers, localAddress, isOnNewConnection } = wanted(n);
    const options = { headers, localAddress, agent: isOnNewConnection ? false : agent };
    answers.push(
      statusOf(url, options).then((status) => {
        // Measured from the due time, so that a late start counts as latency.
        (isOnNewConnection ? ofNew : ofOpen).push(performance.now() - dueAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(answers);
  agent.destroy();
  const all = [...ofOpen, ...ofNew];
  return {
    statuses,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    p99OfOpenMs: percentile(ofOpen, 0.99),
    p99OfNewMs: percentile(ofNew, 0.99),
  };
}

/** 0 without values. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

const statusOf = (url: string, options: object): Promise<string> =>
  new Promise((done) => {
    const sending = request(url, options, (answer: IncomingMessage) => {
      answer.resume().once('end', () => done(String(answer.statusCode)));
      answer.once('error', () => done('cut off'));
    });
    sending.once('error', (fault: NodeJS.ErrnoException) => done(fault.code ?? fault.message));
    sending.end();
  });
