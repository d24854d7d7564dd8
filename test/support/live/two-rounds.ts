import { expect } from 'chai';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { publication } from '../objects/builders.js';
import type { SilentProxy } from '../servers/silent-proxy.js';
import { type Page, publishAll } from '../service/api-calls.js';
import type { Client } from '../service/client.js';
import { FORMAT_CASES } from './format-cases.js';
import type { StreamMessage } from './stream-clients.js';

const FIRST_ROUND = 10;

const publications: readonly PublicationInput[] = Object.values(FORMAT_CASES).map((headline, n) => {
  const { news_event, ...rest } = publication({ id: `ne_${n}` });
  return { ...rest, news_event: { ...news_event, headline } };
});

/** A message without its position and time. */
export type Change = Pick<StreamMessage, 'type' | 'item' | 'id'>;

export const changesIn = (messages: readonly StreamMessage[]): readonly Change[] =>
  messages
    .filter(({ type }) => type === 'item' || type === 'retraction')
    .map(({ type, item, id }) => (item === undefined ? { type, id } : { type, item })) as readonly Change[];

type Parts = {
  readonly client: Client;
  readonly key: string;
  readonly proxy: SilentProxy;
  /** Resolves when every client has this number of changes. */
  readonly received: (changes: number) => Promise<void>;
};

/**
 * Publishes, replaces and retracts items, and tears all connections in between. Returns the changes that each client must
 * have got, in this order.
 */
export async function publishInTwoRounds(parts: Parts): Promise<readonly Change[]> {
  const { client, key, proxy, received } = parts;
  const pageOf = async (ids: readonly string[]): Promise<readonly Change[]> => {
    const { items } = (await client.news(key, '?limit=500')).json as Page;
    return ids.map((id) => {
      const item = items.find(({ news_event }) => news_event.id === id);
      expect(item, id).to.be.an('object');
      return { type: 'item', item } as Change;
    });
  };
  const [first, second] = [publications.slice(0, FIRST_ROUND), publications.slice(FIRST_ROUND)];
  const [retracted, replaced] = [publications[0], publications[1]].map((one) => one?.news_event.id ?? '');
  const idsOf = (round: readonly PublicationInput[]) => round.map(({ news_event }) => news_event.id);

  await publishAll(client, first);
  await received(first.length);
  const before = await pageOf(idsOf(first));
  await client.retract(retracted ?? '');
  await received(first.length + 1);

  proxy.tear(1);
  const again = { ...publication({ id: replaced ?? '' }), related_markets: [] };
  await publishAll(client, [...second, again]);
  const after = await pageOf([...idsOf(second), replaced ?? '']);
  const changes = [...before, { type: 'retraction', id: retracted ?? '' }, ...after];
  await received(changes.length);
  return changes;
}
