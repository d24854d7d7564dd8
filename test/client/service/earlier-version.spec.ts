import { type FeedItem, Oddswire } from '@oddswire/client';
import { expect } from 'chai';
import {
  type Fault,
  type FaultyProxy,
  ignoring,
  startFaultyProxy,
  status,
} from '../../support/client/faulty-proxy.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const Q = 'unusual';

describe('The client with a filter that an instance of an earlier version ignores', () => {
  let service: Service;
  let proxy: FaultyProxy;
  let oddswire: Oddswire;
  let ignoresFilter: Fault;

  before(async () => {
    service = await startService();
    const url = service.instances[0]?.url ?? '';
    const client = await Client.of(service);
    const { key } = await aKey(client);
    const { news_event, ...rest } = publication({ id: 'wanted' });
    const wanted = { ...rest, news_event: { ...news_event, headline: 'An unusual headline' } };
    await publishAll(
      client,
      [publication({ id: 'other' }), wanted, publication({ id: 'another' })].map(timedNow),
    );
    proxy = await startFaultyProxy(url);
    oddswire = new Oddswire({ url: proxy.url, key });
    ignoresFilter = ignoring(url, 'q');
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  const followed = async function* (): AsyncGenerator<FeedItem> {
    for await (const message of oddswire.follow({ since: new Date(Date.now() - 60_000), q: Q })) {
      if (message.type === 'item') yield message.item;
      if (message.type === 'live') return;
    }
  };
  const itemsOfHistory = async function* (): AsyncGenerator<FeedItem> {
    for await (const { item } of oddswire.history({ q: Q })) if (item !== null) yield item;
  };
  const READERS: readonly {
    readonly title: string;
    readonly before?: readonly Fault[];
    readonly lastRequest?: string;
    readonly read: () => AsyncIterable<FeedItem> | Promise<readonly FeedItem[]>;
  }[] = [
    { title: 'a page', read: async () => (await oddswire.page({ q: Q })).items },
    { title: 'a walk', read: () => oddswire.walk({ q: Q }) },
    { title: 'a stream', read: followed },
    { title: 'batches', before: [status(415)], lastRequest: 'application/json', read: followed },
    {
      title: 'batches after the page of a proxy',
      before: [status(200, { 'Content-Type': 'text/html' })],
      lastRequest: 'application/json',
      read: followed,
    },
    { title: 'the history', read: itemsOfHistory },
  ];

  for (const { title, before = [], lastRequest = '', read } of READERS)
    it(`asks again, so that ${title} has only what matches`, async () => {
      const count = proxy.requests.length;
      proxy.fail(...before, ignoresFilter);
      const ids: string[] = [];
      for await (const { news_event } of await read()) ids.push(news_event.id);
      expect(ids).to.deep.equal(['wanted']);
      expect(proxy.requests.length - count).to.equal(before.length + 2);
      expect(proxy.requests.at(-1)).to.include(lastRequest);
    });
});
