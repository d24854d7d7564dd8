import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { moment, timedNow } from '../../support/objects/builders.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import { aKey, type Page, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

type Item = Page['items'][number];
type Follower = (
  base: string,
  key: string,
  upsert: (id: string, item: Item) => void,
  fetch: typeof globalThis.fetch,
) => () => Promise<void>;

/** Loads the example of README.md as a function of its free variables. */
async function exampleOfReadme(): Promise<Follower> {
  const readme = readFileSync(resolve(import.meta.dirname, '../../../../README.md'), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const source = `export default (base, key, upsert, fetch) => {\n${example}\nreturn poll;\n};`;
  const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    readonly default: Follower;
  };
  return module.default;
}

describe('The example of README.md', () => {
  const FEED = sampleFeed(1_200, moment('2026-02-01T00:00:00Z'));
  const OLD = FEED.slice(0, 1_100);
  const NEW = FEED.slice(1_100);
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
  });
  after(() => service.stop());

  it('follows the feed without a gap while items are published, replaced and read', async () => {
    const { key } = await aKey(client);
    const items = new Map<string, Item>();
    let upserts = 0;
    let requests = 0;
    const publishDuringTheFirstPoll: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      requests += 1;
      const replaced = OLD.slice(requests, requests + 1).map(timedNow);
      if (requests <= 3)
        await publishAll(client, [...NEW.slice(requests * 10, requests * 10 + 10), ...replaced]);
      return response;
    };
    const upsert = (id: string, item: Item) => {
      upserts += 1;
      items.set(id, item);
    };
    const follow = await exampleOfReadme();
    const poll = follow(service.instances[0]?.url ?? '', key, upsert, publishDuringTheFirstPoll);

    await poll(); // The feed is empty: the response has no Feed-Head.
    await publishAll(client, OLD.map(timedNow));
    await poll();
    expect(requests, 'the feed has several pages').to.be.greaterThan(3);
    await poll();
    const all = new Map<string, Item>();
    await follow(service.instances[0]?.url ?? '', key, (id, item) => all.set(id, item), fetch)();
    expect(items.size).to.be.greaterThan(OLD.length);
    expect(Object.fromEntries(items)).to.deep.equal(Object.fromEntries(all));

    upserts = 0;
    await poll();
    expect(upserts, '`since` is inclusive').to.equal(1);
  });
});
