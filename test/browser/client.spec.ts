import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page as BrowserPage } from 'playwright-core';
import { newPage } from '../support/browser/browser.js';
import { PROJECT } from '../support/client/packed.js';
import { publication, timedNow } from '../support/objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../support/servers/silent-proxy.js';
import { actOn, aKey, type KeyView, type Page, publishAll } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';
import { until } from '../support/until.js';

/** Walks, follows, and keeps the feed and the code of the error at the end. */
const FOLLOW = `async ({ base, key }) => {
  const { Oddswire, OddswireError } = await import('/client.js');
  const oddswire = new Oddswire({ url: base, key });
  const feed = new Map();
  let end = null;
  globalThis.followed = () => ({ ids: [...feed.keys()].sort(), end, text: JSON.stringify(oddswire) + Object.keys(oddswire) });
  const walk = oddswire.walk({ limit: 1 });
  for await (const item of walk) feed.set(item.news_event.id, item);
  (async () => {
    for await (const message of oddswire.follow({ after: walk.position })) {
      if (message.type === 'item') feed.set(message.item.news_event.id, message.item);
      if (message.type === 'retraction') feed.delete(message.id);
    }
  })().catch((error) => { end = error instanceof OddswireError && error.code; });
  return (await oddswire.usage()).plan + ' ' + (await oddswire.status()).status;
}`;

type Followed = { readonly ids: readonly string[]; readonly end: string | null; readonly text: string };

describe('In Chromium', () => {
  let service: Service;
  let client: Client;
  let proxy: SilentProxy;
  let site: Server;
  let key: KeyView;
  let page: BrowserPage;
  let address: string;

  before(async () => {
    service = await startService();
    client = await Client.of(service);
    proxy = await startSilentProxy(service.instances[0]?.url ?? '');
    const files: Readonly<Record<string, readonly [type: string, file: string]>> = {
      '/client.js': ['text/javascript', 'packages/client/dist/index.js'],
      '/follow.html': ['text/html', 'examples/follow.html'],
    };
    site = createServer(({ url = '' }, response) => {
      const [type, file] = files[url] ?? ['text/html', 'LICENSE'];
      response.setHeader('Content-Type', type).end(readFileSync(join(PROJECT, file)));
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    key = await aKey(client);
    page = await newPage();
  });
  after(async () => {
    site.close();
    await Promise.all([proxy.stop(), service.stop()]);
  });

  const publish = (...ids: readonly string[]) =>
    publishAll(
      client,
      ids.map((id) => timedNow(publication({ id }))),
    );

  const feedIds = async () =>
    ((await client.news(key.key, '?limit=500')).json as Page).items
      .map(({ news_event }) => news_event.id)
      .sort();

  it('the client walks, follows over a connection that is cut, and stops with its key', async () => {
    await publish('a', 'b');
    await page.goto(address);
    const base = proxy.url.slice(0, -1);
    expect(await page.evaluate(`(${FOLLOW})(${JSON.stringify({ base, key: key.key })})`)).to.equal('pro up');
    const followed = (): Promise<Followed> => page.evaluate('followed()');
    await publish('c');
    await until(['a', 'b', 'c'], async () => (await followed()).ids);
    await client.retract('a');
    await publish('d');
    await until(await feedIds(), async () => (await followed()).ids);
    expect((await followed()).text).to.equal('{}');
    await actOn(client, key.key_id, 'revoke', { cause: 'manual' });
    await until('key_revoked', async () => (await followed()).end);
  });

  it('the page of the examples shows each change', async () => {
    const ids = () => page.locator('li').evaluateAll((all) => all.map(({ id }) => id).sort());
    const headers = {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After',
      'Retry-After': '0',
    };
    await page.route('**/pm/v2/news?*', (route) => route.fulfill({ status: 503, headers }), { times: 1 });
    await page.goto(`${address}/follow.html#${proxy.url.slice(0, -1)}#${key.key}`);
    await until(await feedIds(), ids);
    await publish('e', 'b');
    await client.retract('c');
    await until(await feedIds(), ids);
    expect(await page.locator('li').first().getAttribute('id')).to.equal('b');
    await actOn(client, key.key_id, 'revoke', { cause: 'manual' });
    await page.reload();
    await until(true, async () => (await page.locator('ol').innerText()).includes('"code":"key_revoked"'));
  });
});
