import { Agent, type IncomingMessage, request } from 'node:http';

export type OpenLoop = {
  /** The number of requests by status or error code. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/**
 * Sends `count` requests at a fixed rate, whether or not earlier ones are answered. `wanted` gives the nth request, its
 * local address, and whether it uses a new connection.
 */
export async function openLoop(
  load: { readonly perSecond: number; readonly count: number },
  wanted: (n: number) => {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly localAddress: string;
    readonly isOnNewConnection: boolean;
  },
): Promise<OpenLoop> {
  const agent = new Agent({ keepAlive: true });
  const statuses: Record<string, number> = {};
  const millis: number[] = [];
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
        millis.push(performance.now() - dueAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
  }
  await Promise.all(answers);
  agent.destroy();
  millis.sort((a, b) => a - b);
  const at = (share: number) => millis[Math.floor(share * (millis.length - 1))] ?? 0;
  return { statuses, p50Ms: at(0.5), p99Ms: at(0.99) };
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
