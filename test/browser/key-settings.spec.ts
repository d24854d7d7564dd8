import { expect } from 'chai';
import { cspViolationsOf, errorsOf, newPage } from '../support/browser/browser.js';
import { accepted } from '../support/objects/builders.js';
import { type Composed, composed, requestNews } from '../support/service/composed.js';

const KEY = /svc_[A-Za-z0-9_-]{43}/;

describe('The page of a key in a browser (D72)', function () {
  this.timeout(60_000);
  let service: Composed;
  let base: string;
  let accounts = 0;
  before(async () => {
    service = await composed();
    base = service.url.replace('127.0.0.1', 'localhost');
  });
  after(() => service.stop());

  const status = async (key: string) => (await requestNews(service, key)).status;
  /** The secret of a session of a new account. */
  const session = async (): Promise<string> => {
    accounts += 1;
    const identity = {
      email: `browser-${accounts}@example.org`,
      plan: 'pro',
      processorCustomerId: null,
    } as const;
    const { id } = accepted(await service.parts.openAccount(identity, 'test'));
    return (await service.parts.startSession({ kind: 'account', account: id }, null)).secret;
  };

  it('limits a key to an address and a day from the table of keys, also without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await newPage({ javaScriptEnabled });
      await page.context().addCookies([{ name: 'oddswire_session', value: await session(), url: base }]);
      await page.goto(`${base}/dashboard/keys`);
      await page.fill('#label', 'night job');
      await page.click('text=Create key');
      const key = KEY.exec(await page.innerText('main'))?.[0] ?? '';
      await page.goto(`${base}/dashboard/keys`);
      await page.click('main >> text=night job');
      expect(await page.innerText('main')).to.match(/Your address is (127\.0\.0\.1|::1)/);
      await page.fill('#expiry', '2199-01-01');
      await page.fill('#addresses', '203.0.113.0/24\nhome');
      await page.click('text=Save changes');
      expect(await page.innerText('main'))
        .to.include('Nothing was changed.')
        .and.include('Line 2 of the allowed addresses');
      expect(await page.inputValue('#expiry')).to.equal('2199-01-01');
      expect(await page.inputValue('#addresses')).to.equal('203.0.113.0/24\nhome');
      expect(await page.getAttribute('#addresses', 'aria-invalid')).to.equal('true');
      await page.fill('#expiry', '');
      await page.fill('#addresses', '203.0.113.0/24');
      await page.click('text=Save changes');
      expect(await page.innerText('main')).to.include('Saved.');
      expect(await status(key)).to.equal(403);
      await page.fill('#addresses', '127.0.0.0/8\n::1');
      await page.fill('#per_minute', '1');
      await page.click('text=Save changes');
      expect(await page.innerText('main')).to.include('Saved.');
      expect([await status(key), await status(key)]).to.deep.equal([200, 429]);
      if (javaScriptEnabled)
        expect([await errorsOf(page), await cspViolationsOf(page)]).to.deep.equal([[], []]);
    }
  });
});
