import { expect } from 'chai';
import { ask, type Composed, composed, keyHolder, publish } from '../../support/service/composed.js';

describe('The gauge of cached bytes', () => {
  let service: Composed;
  afterEach(() => service.stop());

  /** The bytes of each cache at `/metrics`. */
  const cached = async (): Promise<Readonly<Record<string, number>>> => {
    const { body } = await ask(`${service.internalUrl}/metrics`);
    const samples = body.toString().matchAll(/^oddswire_cached_bytes\{cache="(\w+)"\} (\S+)$/gm);
    return Object.fromEntries([...samples].map(([, cache, bytes]) => [cache, Number(bytes)]));
  };

  it('has what pages, compressed pages and changes of the feed take', async () => {
    service = await composed();
    const { value } = await keyHolder(service);
    const before = await cached();
    expect(before).to.include({ pages: 0, compressed: 0, blocks: 0 });
    await publish(service, ...Array.from({ length: 20 }, (_, n) => `item-${n}`));
    const page = (encoding: string) =>
      ask(`${service.url}/pm/v2/news`, { headers: { 'X-API-Key': value, 'Accept-Encoding': encoding } });
    const { body } = await page('identity');
    const compressed = await page('gzip');
    const after = await cached();
    expect(after['pages']).to.be.within(body.length, body.length + 10_000);
    expect(after['compressed']).to.equal(compressed.body.length);
    // Each change has its item.
    expect((after['changes'] ?? 0) - (before['changes'] ?? 0)).to.be.above(body.length);
  });
});
