import { setTimeout } from 'node:timers/promises';

/** An answer to `GET /pm/v2/news`. */
export type PolledPage = {
  readonly status: number;
  readonly head: string;
  readonly position: string;
  readonly body: string;
};

export type FeedPoller = {
  readonly query: string;
  /** In the order of the requests. */
  readonly answers: readonly PolledPage[];
  readonly stop: () => Promise<void>;
};

const EVERY_MS = 10;

/** Requests a page from an instance again and again, one request at a time, and records every answer. */
export function pollFeed(url: string, key: string, query: string): FeedPoller {
  const answers: PolledPage[] = [];
  let isOver = false;
  const poll = async () => {
    while (!isOver) {
      const answer = await fetch(`${url}/pm/v2/news${query}`, { headers: { 'X-API-Key': key } });
      const header = (name: string) => answer.headers.get(name) ?? '';
      const [head, position] = [header('feed-head'), header('feed-position')];
      answers.push({ status: answer.status, head, position, body: await answer.text() });
      await setTimeout(EVERY_MS);
    }
  };
  const done = poll();
  return {
    query,
    answers,
    stop: () => {
      isOver = true;
      return done;
    },
  };
}
