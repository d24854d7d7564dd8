import { expect } from 'chai';
import { publication } from '../objects/builders.js';
import { administer } from '../servers/write-faults.js';
import type { KeyView } from '../service/api-calls.js';
import { type Reply, send } from '../service/client.js';
import type { Instance, Service } from '../service/running-service.js';

/** An acknowledged change, with the times between which it was made. */
export type Acknowledged = { readonly name: string; readonly begunAt: number; readonly endedAt: number };

/** Answers while the primary changes: done, no such key (it is on the other server only), conflict, unavailable. */
const EXPECTED = new Set([200, 201, 404, 409, 503]);

/** A request to the internal listener of one instance. Unlike `Client`, it waits for no other instance. */
export const operateOn = (
  { internalUrl }: Instance,
  { tokens }: Service,
  path: string,
  body: object = {},
): Promise<Reply> =>
  send(`${internalUrl}/internal/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

export type FailoverTraffic = {
  readonly published: readonly Acknowledged[];
  /** The revoked keys. */
  readonly revoked: readonly Acknowledged[];
  readonly stop: () => Promise<void>;
};

/** Publishes, and issues and revokes keys of an account, through one instance until it is stopped. */
export function failoverTraffic(
  service: Service,
  instance: Instance,
  { name, account }: { readonly name: string; readonly account: string },
): FailoverTraffic {
  let isRunning = true;
  const published: Acknowledged[] = [];
  const revoked: Acknowledged[] = [];
  const publisher = async (n: number) => {
    for (let i = 0; isRunning; i += 1) {
      const item = `${name}-${n}-${i}`;
      const begunAt = performance.now();
      const { status } = await send(`${instance.internalUrl}/internal/v1/news`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${service.tokens.publisher}`,
          'Content-Type': 'application/x-ndjson',
        },
        body: JSON.stringify(publication({ id: item })),
      });
      expect([200, 503]).to.include(status);
      if (status === 200) published.push({ name: item, begunAt, endedAt: performance.now() });
    }
  };
  const operator = async () => {
    while (isRunning) {
      const issued = await operateOn(instance, service, `/accounts/${account}/keys`);
      expect(EXPECTED).to.include(issued.status);
      if (issued.status !== 201) continue;
      const { key_id: id } = issued.json as KeyView;
      const begunAt = performance.now();
      const { status } = await operateOn(instance, service, `/keys/${id}/revoke`, { cause: 'manual' });
      expect(EXPECTED).to.include(status);
      if (status === 200) revoked.push({ name: id, begunAt, endedAt: performance.now() });
    }
  };
  const running = [publisher(0), publisher(1), operator()];
  return {
    published,
    revoked,
    stop: async () => {
      isRunning = false;
      await Promise.all(running);
    },
  };
}

/** The published items and revoked keys on a server. */
export async function changesOn(url: string): Promise<ReadonlySet<string>> {
  const rows = await administer(url, [
    "select item_id as name from feed_change union select entry ->> 'key' from audit where entry ->> 'event' = 'revoked'",
  ]);
  return new Set((rows as readonly { readonly name: string }[]).map(({ name }) => name));
}
