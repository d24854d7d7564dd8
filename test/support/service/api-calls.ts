import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import type { Client, Reply } from './client.js';
import type { Service } from './running-service.js';

/** A running service that several suites share. Suites assume nothing about its data. */
export type ServiceUnderTest = { readonly service: () => Service; readonly client: () => Client };

export type Problem = {
  readonly detail: string;
  readonly code: string;
  readonly causes?: readonly string[];
  readonly errors?: readonly {
    readonly parameter: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly violated_policies?: readonly string[];
};

export const problem = ({ json }: Reply): Problem => json as Problem;

export type KeyView = {
  readonly key_id: string;
  readonly key: string;
  readonly status: string;
  readonly causes: readonly string[];
  readonly grace_until: string | null;
  readonly overlap_ends_at: string | null;
  readonly revocation_cause: string | null;
  readonly last_used_at: string | null;
  readonly audit: readonly {
    readonly event: string;
    readonly actor: string;
    readonly reason: string | null;
    readonly cause: string | null;
  }[];
};

export type Page = {
  readonly items: readonly {
    readonly news_event: { readonly id: string };
    readonly related_markets: readonly {
      readonly sub_markets: readonly { readonly sub_market_id: string }[];
    }[];
  }[];
  readonly next_cursor: string | null;
};

export const page = ({ json }: Reply): Page => json as Page;
export const ids = (reply: Reply): readonly string[] =>
  page(reply).items.map(({ news_event }) => news_event.id);

export const unique = (): string => randomUUID().slice(0, 13);

/** Opens a new account and returns its id. */
export async function account(client: Client, plan: PlanName = 'pro'): Promise<string> {
  const reply = await client.operate('POST', '/internal/v1/accounts', {
    email: `${unique()}@example.org`,
    plan,
  });
  expect(reply.status).to.equal(201);
  return (reply.json as { readonly account_id: string }).account_id;
}

export async function issue(client: Client, accountId: string): Promise<KeyView> {
  const reply = await client.operate('POST', `/internal/v1/accounts/${accountId}/keys`);
  expect(reply.status).to.equal(201);
  return reply.json as KeyView;
}

/** Issues a key of a new account. */
export async function aKey(
  client: Client,
  plan: PlanName = 'pro',
): Promise<KeyView & { readonly account: string }> {
  const accountId = await account(client, plan);
  return { ...(await issue(client, accountId)), account: accountId };
}

export const keyNow = async (client: Client, id: string): Promise<KeyView> =>
  (await client.operate('GET', `/internal/v1/keys/${id}`)).json as KeyView;

export const actOn = (client: Client, id: string, verb: string, body: object): Promise<Reply> =>
  client.operate('POST', `/internal/v1/keys/${id}/${verb}`, body);

export const advance = async (client: Client, seconds: number): Promise<string> => {
  const reply = await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: seconds });
  expect(reply.status).to.equal(200);
  return (reply.json as { readonly now: string }).now;
};

export const ndjson = (publications: readonly PublicationInput[]): string =>
  publications.map((publication) => `${JSON.stringify(publication)}\n`).join('');

/** Publishes items and expects that all are accepted. */
export async function publishAll(
  client: Client,
  publications: readonly PublicationInput[],
  query = '',
): Promise<void> {
  const reply = await client.publish(ndjson(publications), query);
  expect(reply.json).to.deep.include({ accepted: publications.length, rejected: [] });
}

/** The HTTP status of `/readyz` and the `status` field of its body. */
export async function ready(client: Client): Promise<readonly [number, string]> {
  const { status, json } = await client.internal('/readyz');
  return [status, (json as { readonly status: string }).status];
}

/** The value of a sample at `/metrics`; NaN if it is absent. */
export async function metric(client: Client, name: string): Promise<number> {
  const { text } = await client.internal('/metrics');
  const line = text.split('\n').find((other) => other.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

/** Moves the clock to the start of a minute, so that no window ends during the test. */
export async function startOfMinute(client: Client): Promise<void> {
  const now = await advance(client, 0);
  await advance(client, 60 - (Number(now.slice(17, 19)) % 60) + 0.5);
}
