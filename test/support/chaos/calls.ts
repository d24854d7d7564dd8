import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { type Asked, type Reply, send } from '../service/client.js';
import type { Installation } from './installation.js';
import { INSTANCES } from './schedule.js';

/** What all clients of a run share. `isOver`: they stop beginning new work. */
export type Stage = {
  readonly installation: Installation;
  readonly isOver: () => boolean;
  /** The time of the service, in milliseconds. */
  readonly time: () => number;
};

const RETRY_MS = 25;

/** Null if the connection ended without a complete answer. */
export const ask = (url: string, asked: Asked = {}): Promise<Reply | null> =>
  send(url, asked).catch(() => null);

/** An answer, and how many requests may have had an effect: the earlier ones had no answer, or a 5xx. */
export type Acknowledged = { readonly reply: Reply; readonly attempts: number };

/** Repeats a request, each time at another instance, until one answers that it is done or refused. */
export async function untilAnswered(
  first: number,
  send: (instance: number) => Promise<Reply | null>,
): Promise<Acknowledged> {
  for (let attempts = 1; ; attempts += 1) {
    const reply = await send(first + attempts - 1);
    if (reply !== null && reply.status < 500) return { reply, attempts };
    await setTimeout(RETRY_MS);
  }
}

/** A call of an operator, repeated until it is answered. */
export function operate(
  installation: Installation,
  first: number,
  method: string,
  path: string,
  body?: object,
): Promise<Acknowledged> {
  const headers = {
    Authorization: `Bearer ${installation.tokens.operator}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const asked = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return untilAnswered(first, (n) => ask(`${installation.internalUrl(n)}/internal/v1${path}`, asked));
}

type AccountView = { readonly account_id: string };
type IssuedKey = { readonly key: string; readonly key_id: string };

/** Opens an account. A repeated call may find that an earlier one has opened it. */
export async function openAccount(
  installation: Installation,
  first: number,
  email: string,
  plan: string,
  more: object = {},
): Promise<string> {
  const { reply } = await operate(installation, first, 'POST', '/accounts', { email, plan, ...more });
  if (reply.status === 201) return (reply.json as AccountView).account_id;
  if (reply.status !== 409) throw new Error(`no account: ${reply.text}`);
  const found = await operate(installation, first, 'GET', `/accounts?email=${encodeURIComponent(email)}`);
  return (found.reply.json as AccountView).account_id;
}

/** Null if an earlier request, without an answer, has used up the allowance of the account. */
export async function issueKey(
  installation: Installation,
  first: number,
  account: string,
): Promise<(IssuedKey & { readonly attempts: number }) | null> {
  const { reply, attempts } = await operate(installation, first, 'POST', `/accounts/${account}/keys`);
  if (reply.status === 409 && attempts > 1) return null;
  if (reply.status !== 201) throw new Error(`no key: ${reply.text}`);
  return { ...(reply.json as IssuedKey), attempts };
}

export const anInstance = (random: SeededRandom): number => random.whole(0, INSTANCES - 1);

export const pause = (random: SeededRandom, least: number, most: number): Promise<void> =>
  setTimeout(random.whole(least, most));
