import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page as BrowserPage } from 'playwright-core';
import { positionToken } from '../../src/domain/feed/position.js';
import { newPage } from '../support/browser/browser.js';
import { codeUnder } from '../support/live/programs.js';
import type { StreamMessage } from '../support/live/stream-clients.js';
import { changesIn, publishInTwoRounds } from '../support/live/two-rounds.js';
import { publication } from '../support/objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../support/servers/silent-proxy.js';
import { actOn, aKey, type KeyView, type Page, publishAll } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';
import { until } from '../support/until.js';

const [PROGRAM = ''] = codeUnder('In a browser: EventSource');

/** An `EventSource` that resumes by itself, and a WebSocket that the script opens again after its last position. */
const CLIENTS = `(({ base, key }) => {
  const received = { EventSource: [], WebSocket: [] };
  const source = new EventSource(base + '/pm/v2/stream?client=EventSource&api_key=' + key);
  for (const type of ['ready', 'item', 'retraction', 'live', 'heartbeat', 'closing'])
    source.addEventListener(type, ({ data, lastEventId }) => {
      const message = JSON.parse(data);
      if (message.type !== type || message.position !== lastEventId) throw new Error(type + ': ' + data);
      received.EventSource.push(message);
    });
  const open = (after) => {
    const socket = new WebSocket(base.replace('http', 'ws') + '/pm/v2/stream?client=WebSocket&api_key=' + key + after);
    socket.onmessage = ({ data }) => received.WebSocket.push(JSON.parse(data));
    socket.onclose = () => open('&after=' + received.WebSocket.at(-1).position);
  };
  open('');
  globalThis.received = received;
})`;

const POSITION_OF_ANOTHER_FEED = positionToken({ n: 1, mark: '0123456789abcdef' });

/**
 * Runs the program of docs/live.md. Its first walk returns a position of another feed, its second one fails, and its wait before
 * a new EventSource is short.
 */
const RUN = `(({ base, key }) => {
  const items = new Map();
  const ends = [];
  let walks = 0;
  const page = {
    walk: async () => {
      const response = await fetch(base + '/pm/v2/news?limit=500', { headers: { 'X-API-Key': key } });
      items.clear();
      for (const item of (await response.json()).items) items.set(item.news_event.id, item);
      walks += 1;
      if (walks === 2) throw new Error('the service restarts');
      return walks === 1 ? '${POSITION_OF_ANOTHER_FEED}' : response.headers.get('Feed-Position');
    },
    upsert: (item) => items.set(item.news_event.id, item),
    remove: (id) => items.delete(id),
    stopped: (problem) => ends.push(problem.code),
  };
  const soon = (run, _, ...parameters) => setTimeout(run, 50, ...parameters);
  const follow = new Function('setTimeout', ${JSON.stringify(`${PROGRAM}; return follow;`)})(soon);
  follow(base, key, page);
  globalThis.followed = () => ({ items: Object.fromEntries(items), walks, ends });
})`;

type FollowedInPage = {
  readonly items: Readonly<Record<string, unknown>>;
  readonly walks: number;
  readonly ends: readonly string[];
};

describe('The stream in Chromium', () => {
  let service: Service;
  let client: Client;
  let proxy: SilentProxy;
  let site: Server;
  let key: KeyView;
  let page: BrowserPage;

  before(async () => {
    service = await startService();
    client = await Client.of(service);
    key = await aKey(client);
    proxy = await startSilentProxy(service.instances[0]?.url ?? '');
    site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>A page'));
    await once(site.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(async () => {
    page = await newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  });
  after(async () => {
    site.close();
    await Promise.all([proxy.stop(), service.stop()]);
  });

  const inPage = <T>(script: string): Promise<T> =>
    page.evaluate<T>(`${script}(${JSON.stringify({ base: proxy.url.slice(0, -1), key: key.key })})`);
  const received = (): Promise<Readonly<Record<string, readonly StreamMessage[]>>> =>
    page.evaluate('received');
  const followed = (): Promise<FollowedInPage> => page.evaluate('followed()');

  it('has each change once and in order, for EventSource and WebSocket, also when the connection is cut', async () => {
    await inPage(CLIENTS);
    const count = async () => Object.values(await received()).map((each) => changesIn(each).length);
    await until(true, async () =>
      Object.values(await received()).every(([first]) => first?.type === 'ready'),
    );
    const expected = await publishInTwoRounds({
      ...{ client, key: key.key, proxy },
      received: (changes) => until(true, async () => (await count()).every((each) => each >= changes)),
    });
    for (const [name, messages] of Object.entries(await received()))
      expect(changesIn(messages), name).to.deep.equal(expected);
  });

  it('is compressed for EventSource and WebSocket', () => {
    const exchanges = proxy.exchanges.filter(({ request }) => /client=/.test(request));
    expect(exchanges).to.have.length(4);
    for (const { request, response } of exchanges)
      expect(response).to.include(
        /client=EventSource/.test(request) ? 'Content-Encoding: gzip' : 'permessage-deflate',
      );
  });

  it('is followed by the program of docs/live.md, which walks again after 410 and after a failure, and stops with its key', async () => {
    await publishAll(
      client,
      ['a', 'b', 'c'].map((id) => publication({ id })),
    );
    await inPage(RUN);
    await until(3, async () => (await followed()).walks);
    await publishAll(
      client,
      ['d', 'a'].map((id) => ({ ...publication({ id }), related_markets: [] })),
    );
    await client.retract('b');
    const { items } = (await client.news(key.key, '?limit=500')).json as Page;
    const feed = new Map(items.map((item) => [item.news_event.id, item]));
    const isCurrent = async () => {
      const shown = (await followed()).items;
      return Object.keys(shown).length === feed.size && 'd' in shown && !('b' in shown);
    };
    await until(true, isCurrent);
    expect((await followed()).items).to.deep.equal(Object.fromEntries(feed));
    await actOn(client, key.key_id, 'revoke', { cause: 'manual' });
    await until(['key_revoked'], async () => (await followed()).ends);
  });
});
