import { expect } from 'chai';
import type { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import { unlessUnavailable } from '../../../src/application/unavailable.js';
import { type PolledPage, pollFeed } from '../load/feed-poller.js';
import { until } from '../until.js';
import { send } from './client.js';
import type { Instance } from './running-service.js';

/** The newest items, from the copy of an instance; and items below it, from the database. */
export type Queries = { readonly newest: string; readonly older: string };

/** An item that exists only after the return to the older state, and one that exists only before it. */
export type Markers = { readonly before: string; readonly after: string };

/** Pollers of both pages on each instance, while the database returns to an older state. */
export function pollersOf(instances: readonly Instance[], key: string, { newest, older }: Queries) {
  const pollers = instances.flatMap(({ url }) => [newest, older].map((query) => pollFeed(url, key, query)));
  const served = (query: string) =>
    pollers.filter((one) => one.query === query).map(({ answers }) => answers.filter(isServed));
  return {
    /** The greatest head that a client has seen. */
    head: (): string => pollers.flatMap(({ answers }) => answers.map(({ head }) => head)).reduce(greater, ''),
    stop: async (): Promise<void> => void (await Promise.all(pollers.map((poller) => poller.stop()))),
    /** Resolves when each poller has this many further answers, those of older items perhaps fewer. */
    more: async (count: number, ofOlder = count): Promise<void> => {
      const wanted = pollers.map(
        ({ query, answers }) => answers.length + (query === older ? ofOlder : count),
      );
      await until(true, () => pollers.every(({ answers }, i) => answers.length >= (wanted[i] ?? 0)));
    },
    /** Expects that no head fell, and that each page is of one state. */
    expectOneState: (markers: Markers): void => {
      for (const pages of [...served(newest), ...served(older)]) {
        const heads = pages.map(({ head }) => head);
        expect(heads).to.deep.equal([...heads].sort());
      }
      for (const { query, answers } of pollers) if (query === newest) expectTwoStates(answers, markers);
      for (const query of [newest, older]) expectOneBodyPerPosition(served(query).flat());
    },
    summary: (): string => pollers.map(({ answers }) => summaryOf(answers)).join('; '),
  };
}

const isServed = ({ status }: PolledPage): boolean => status === 200;
const greater = (one: string, other: string): string => (one > other ? one : other);
const summaryOf = (answers: readonly PolledPage[]): string => {
  const refused = answers.filter((answer) => !isServed(answer));
  const why = new Set(refused.map(({ body }) => /"code":"[^"]*"/.exec(body)?.[0] ?? body));
  return `${answers.length - refused.length} pages, ${refused.length} × 503 ${[...why].join(', ')}`.trim();
};

/**
 * The newest items are those of the first state until the instance has noticed the second one. A 503 shows no state: the database
 * may be considered unavailable while the copies are gone, and a slow machine sheds load.
 */
function expectTwoStates(answers: readonly PolledPage[], { before, after }: Markers): void {
  const stateOf = ({ status, body }: PolledPage) => {
    const has = [before, after].map((id) => body.includes(`"id":"${id}"`));
    return status !== 200 || has[0] === has[1] ? `${status}: ${body}` : has[0] ? 'first' : 'second';
  };
  const shown = answers.filter(({ status }) => status !== 503).map(stateOf);
  const states = shown.filter((state, i, all) => state !== all[i - 1]);
  expect(states).to.deep.equal(['first', 'second']);
}

/** A position names a state of the feed, on all instances. */
function expectOneBodyPerPosition(pages: readonly PolledPage[]): void {
  const bodies = new Map<string, string>();
  for (const { position, body } of pages) {
    const known = bodies.get(position) ?? body;
    bodies.set(position, known);
    expect(body, position).to.equal(known);
  }
}

/** Resolves when the copy of each instance has the last change of the database, with the milliseconds that this took. */
export async function untilRebuilt(
  logs: PostgresChangeLogs,
  instances: readonly Instance[],
): Promise<number> {
  const from = performance.now();
  const isCurrent = async ({ internalUrl }: Instance, version: number) => {
    const { text } = await send(`${internalUrl}/metrics`, {});
    return text.includes(`oddswire_feed_version ${version}\n`) && /^oddswire_copied_items [1-9]/m.test(text);
  };
  await until(true, async () => {
    // The session of this reader may be one that the former server has just ended.
    const newest = await logs.newest().catch(unlessUnavailable);
    if (newest === undefined) return false;
    const version = newest.feed.n;
    return (await Promise.all(instances.map((one) => isCurrent(one, version)))).every(Boolean);
  });
  return Math.round(performance.now() - from);
}

/** Resolves when the key gets this status from each instance, with the milliseconds that this took. */
export async function untilAnswered(
  instances: readonly Instance[],
  key: string,
  status: number,
): Promise<number> {
  const from = performance.now();
  const headers = { 'X-API-Key': key };
  for (const { url } of instances)
    await until(status, async () => (await send(`${url}/pm/v2/news?limit=1`, { headers })).status);
  return Math.round(performance.now() - from);
}

/** The number of lines of an instance that report an older state. */
export const olderStates = ({ output }: Instance): number =>
  output.filter((line) => line.includes('older state')).length;
