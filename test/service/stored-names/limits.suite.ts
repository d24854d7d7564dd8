import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { aKey, problem, startOfMinute, unique } from '../../support/service/api-calls.js';
import { send } from '../../support/service/client.js';
import { until } from '../../support/until.js';
import {
  bothWays,
  browserAt,
  freshAddress,
  type RunningVersions,
  sameAnswer,
  type Version,
} from './two-versions.js';

type Usage = { readonly limits: readonly { readonly name: string; readonly used: number }[] };

/** One after another: many at once can be answered with 503. */
async function times<Answer>(count: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await ask(n));
  return answers;
}

/** Has each version count what it noted. */
async function countAbuseSignals(...versions: readonly Version[]): Promise<void> {
  for (const { client } of versions) {
    await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: 0 });
  }
}

export function limitsSuite(versions: RunningVersions): void {
  describe('of limits:', () => {
    counters(versions);
    attempts(versions);
    abuse(versions);
  });
}

const USED_UP = [
  ['minute', 10],
  ['day', 10],
];

async function usedOf({ instance }: Version, key: string): Promise<readonly (readonly [string, number])[]> {
  const { json } = await send(`${instance.url}/pm/v2/usage`, { headers: { 'X-API-Key': key } });
  return (json as Usage).limits.map(({ name, used }) => [name, used]);
}

/**
 * A key whose minute is used up. On a busy machine Redis can take longer than 250 ms; then a version counts by itself (D35), not all
 * requests are in Redis, and another key is used up.
 */
async function usedUpKey(version: Version): Promise<string> {
  for (;;) {
    const { key } = await aKey(version.client, 'free');
    await startOfMinute(version.client);
    const taken = await times(10, () => version.client.news(key, '?limit=1', freshAddress()));
    expect(taken.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    if (isDeepStrictEqual(await usedOf(version, key), USED_UP)) return key;
  }
}

function counters(versions: RunningVersions): void {
  bothWays(versions, 'the requests of a subscription', async (writer, reader) => {
    const key = await usedUpKey(writer);
    // A request that the reader counts by itself is granted. Alone it would grant ten.
    const answers = await times(3, () => reader.client.news(key, '?limit=1', freshAddress()));
    const refusals = answers.map((answer) => [answer.status, problem(answer).violated_policies]);
    expect(refusals).to.deep.include([429, ['minute']]);
    for (const version of [writer, reader]) expect(await usedOf(version, key)).to.deep.equal(USED_UP);
  });

  bothWays(versions, 'the requests of an address without a key', async (writer, reader) => {
    const address = freshAddress();
    const ask = async ({ client }: Version) => (await client.ask('/pm/v2/news', { headers: address })).status;
    await startOfMinute(writer.client);
    const taken = await times(20, () => ask(writer));
    expect(taken.every((status) => status === 401)).to.equal(true);
    expect([await ask(reader), await ask(writer)]).to.deep.equal([429, 429]);
  });
}

function attempts(versions: RunningVersions): void {
  bothWays(versions, 'the attempts to sign in from an address', async (writer, reader) => {
    const address = { ...freshAddress(), 'Sec-Fetch-Site': 'same-origin' };
    const attempt = async (version: Version) =>
      (await browserAt(version).post('/operator/sign-in', { token: 'a wrong one' }, address)).status;
    const statuses = await times(30, () => attempt(writer));
    expect(new Set(statuses)).to.deep.equal(new Set([403]));
    expect(await attempt(reader)).to.equal(429);
  });

  bothWays(versions, 'the mails to newcomers of a subnet', async (writer, reader, { mail }) => {
    const run = unique();
    const address = { ...freshAddress(), 'Sec-Fetch-Site': 'same-origin' };
    const ask = (version: Version, name: string, headers: Readonly<Record<string, string>> = address) =>
      browserAt(version).post('/dashboard/sign-in', { email: `${name}-${run}@example.org` }, headers);
    await Promise.all(Array.from({ length: 10 }, (_, n) => ask(writer, `${n}`)));
    await mail.arrived(({ to }) => to.includes(run), 10);
    expect((await ask(reader, 'refused')).status).to.equal(200);
    await ask(reader, 'elsewhere', { ...freshAddress(), 'Sec-Fetch-Site': 'same-origin' });
    await mail.arrived(({ to }) => to.startsWith('elsewhere') && to.includes(run));
    expect(mail.mails.some(({ to }) => to.startsWith('refused') && to.includes(run))).to.equal(false);
  });
}

function abuse(versions: RunningVersions): void {
  /**
   * The subscription was flagged for abuse. The audit log is read before any other request is sent, because each request is
   * a signal too. Then both versions refuse the key.
   */
  const expectFlagged = async (writer: Version, reader: Version, key: string, account: string) => {
    type View = { readonly audit: readonly { readonly event: string; readonly cause: string }[] };
    const { audit } = await sameAnswer<View>(writer, reader, `/accounts/${account}`);
    expect(audit.at(-1)).to.deep.include({ event: 'abuse_detected', cause: 'abuse', actor: 'service' });
    const address = freshAddress();
    for (const { client } of [writer, reader]) {
      await until(['abuse'], async () => problem(await client.news(key, '?limit=1', address)).causes);
    }
  };

  bothWays(versions, 'the networks of a key', async (writer, reader) => {
    const { key, account } = await aKey(writer.client);
    for (const version of [writer, reader]) {
      await times(12, () => version.client.news(key, '?limit=1', freshAddress()));
      await countAbuseSignals(version);
    }
    await expectFlagged(writer, reader, key, account);
    const body = { cause: 'abuse', reason: 'a fleet' };
    const path = `/internal/v1/accounts/${account}/release`;
    expect((await writer.client.operate('POST', path, body)).status).to.equal(200);
    await until(200, async () => (await reader.client.news(key, '?limit=1', freshAddress())).status);
    // What was counted before does not count again.
    await countAbuseSignals(writer, reader);
    expect((await reader.client.news(key, '?limit=1', freshAddress())).status).to.equal(200);
  });

  bothWays(versions, 'the refused requests of a subscription', async (writer, reader) => {
    const { key, account } = await aKey(writer.client, 'free');
    await startOfMinute(writer.client);
    const address = freshAddress();
    await times(10 + 12, () => writer.client.news(key, '?limit=1', address));
    await countAbuseSignals(writer);
    expect((await reader.client.news(key, '?limit=1', address)).status).to.equal(429);
    await times(12, () => reader.client.news(key, '?limit=1', address));
    await countAbuseSignals(reader);
    await expectFlagged(writer, reader, key, account);
  });
}
