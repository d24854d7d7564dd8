import { ask, type Composed } from '../service/composed.js';
import type { FakeStream, fakeStreams } from './fake-streams.js';
import { askStream, type BATCH_PATHS } from './stream-callers.js';

type Headers = Readonly<Record<string, string>>;

/** Asks for a batch, and does something when it waits. */
export async function askWaitingBatch(
  {
    service,
    streams,
    key,
    path,
  }: {
    readonly service: Composed;
    readonly streams: Pick<ReturnType<typeof fakeStreams>, 'next'>;
    readonly key: Headers;
    readonly path: (typeof BATCH_PATHS)[number];
  },
  query: string,
  then: (stream: FakeStream) => void | Promise<void>,
) {
  const next = streams.next();
  const answer = askStream(service, 'batch', key, query, path);
  const stream = await next;
  await stream.started;
  await then(stream);
  return { answer: await answer, stream };
}

/** How many requests of the minute are used. */
export async function usedRequests(service: Composed, key: Headers): Promise<number | undefined> {
  const usage = await ask(`${service.url}/pm/v2/usage`, { headers: key });
  return usage.json<{ limits: { used: number }[] }>().limits[0]?.used;
}
