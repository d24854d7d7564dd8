import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { Attempt } from '../../../src/domain/destinations/delivery.js';
import type {
  Destination,
  DestinationId,
  Sealed,
  Target,
} from '../../../src/domain/destinations/destination.js';
import { type DestinationUrl, shownUrl } from '../../../src/domain/destinations/destination-url.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';
import { accepted } from '../objects/builders.js';
import type { Composed } from '../service/composed.js';

/** Settings under which receivers on this machine are allowed. */
export const LOCAL_RECEIVERS = {
  DESTINATIONS_ALLOW: '127.0.0.0/8',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
} as const;

export type Created = { readonly id: DestinationId; readonly account: AccountId; readonly secret: string };

/** Creates destinations of a composed service as its pages do. */
export function destinationsOf({ parts }: Composed) {
  const { sealing, sendTest, deliverAgain, webhookSigner, newDestinationId } = parts;
  if (sealing === null || sendTest === null || deliverAgain === null)
    throw new Error('SECRETS_KEY is not set');
  const seal = (text: string, destination: DestinationId, field: 'url' | 'secret'): Sealed =>
    sealing.seal(text, { destination, field });

  const create = async (account: AccountId, id: DestinationId, target: Target, filter: string) => {
    const fresh = { id, label: 'Desk' as Label, filter, target };
    return accepted(await parts.createDestination(account, fresh, 'test'));
  };
  const webhook = async (account: AccountId, url: string, filter = ''): Promise<Created> => {
    const [id, secret] = [newDestinationId(), webhookSigner.makeSecret()];
    const secrets = { current: seal(secret, id, 'secret'), older: null };
    const sealedUrl = seal(url, id, 'url');
    await create(
      account,
      id,
      { kind: 'webhook', url: sealedUrl, shownUrl: shownUrl(url as DestinationUrl), secrets },
      filter,
    );
    return { id, account, secret };
  };
  return {
    webhook,
    /** A webhook that needs no test: many on one host have no more than 30 an hour (D71). */
    untested: async (account: AccountId, url: string): Promise<Created> => {
      const created = await webhook(account, url);
      await parts.changeDestination(account, created.id, { event: 'tested' }, { actor: 'test' });
      return created;
    },
    /** A webhook whose receiver has answered a test. */
    enabled: async (account: AccountId, url: string, filter = ''): Promise<Created> => {
      const created = await webhook(account, url, filter);
      accepted(await sendTest(account, created.id, 'test'));
      return created;
    },
    slack: async (account: AccountId, url: string): Promise<Created> => {
      const id = newDestinationId();
      await create(
        account,
        id,
        { kind: 'slack', url: seal(url, id, 'url'), shownUrl: shownUrl(url as DestinationUrl) },
        '',
      );
      return { id, account, secret: '' };
    },
    test: ({ account, id }: Created): Promise<Attempt | Refusal> => sendTest(account, id, 'test'),
    again: ({ account, id }: Created, delivery: Parameters<typeof deliverAgain>[2]) =>
      deliverAgain(account, id, delivery),
    rotate: async ({ account, id }: Created): Promise<string> => {
      const secret = webhookSigner.makeSecret();
      const action = { event: 'secret_rotated', secret: seal(secret, id, 'secret') } as const;
      await parts.changeDestination(account, id, action, { actor: 'test' });
      return secret;
    },
    state: async ({ id }: Created): Promise<Destination['state']> => {
      const stored = await parts.destinations.find(id);
      if (stored === null || isRefusal(stored)) throw new Error('the destination was removed');
      return stored.destination.state;
    },
  };
}
