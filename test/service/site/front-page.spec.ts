import { expect } from 'chai';
import { exampleItem } from '../../../src/adapters/http/openapi/examples/example-item.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const ADDRESS = 'https://api.oddswire.test';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const HEADLINE = 'Only customers read this <headline>';

describe('The address /', () => {
  /** With the default settings. */
  let service: Service;
  let client: Client;
  /** With the settings that show more. */
  let open: Service;
  before(async () => {
    const settings = { FRONT_PAGE_HEADLINE: 'on', SECURITY_CONTACT: 'mailto:security@example.com' };
    const sold = {
      SUPPORT_CONTACT: 'mailto:help@example.com?subject=Oddswire',
      STRIPE_PAYMENT_LINK: 'https://buy.stripe.com/test_1',
    };
    [service, open] = await Promise.all([
      startService({ PUBLIC_URL: ADDRESS, STRIPE_PAYMENT_LINK: '' }),
      startService({ PUBLIC_URL: ADDRESS, RATE_LIMIT_BUILDER_DAY: '54321', ...settings, ...sold }),
    ]);
    client = await Client.of(service);
  });
  after(() => Promise.all([service.stop(), open.stop()]));

  const ask = (path: string, accept: string, of: Service = service) =>
    send(`${of.instances[0]?.url}${path}`, { headers: { Accept: accept } });
  const publish = (to: Client) => {
    const item = publication({ id: 'ne_front' });
    return publishAll(to, [{ ...item, news_event: { ...item.news_event, headline: HEADLINE } }]);
  };
  it('is a page for browsers and JSON for programs, which links to the descriptions of the service', async () => {
    const page = await ask('/', BROWSER);
    expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).to.include("default-src 'none'");
    expect(page.headers['vary']).to.include('Accept');
    expect(page.text)
      .to.include(exampleItem().news_event.headline)
      .and.to.include('supports Yes')
      .and.to.include('each story with the prediction markets it affects')
      .and.to.include(`${ADDRESS}/pm/v2/news`)
      .and.to.include('svc_test_public_key_that_everyone_may_use_for_trying');
    for (const accept of ['*/*', 'application/json']) {
      const { status, headers, json } = await client.ask('/', { headers: { Accept: accept } });
      expect([status, headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8']);
      expect(json).to.have.nested.property('links.openapi', `${ADDRESS}/openapi.json`);
      for (const rel of ['service-desc', 'service-doc', 'status', 'api-catalog']) {
        expect(headers['link']).to.include(`rel="${rel}"`);
      }
    }
    const tag = { 'If-None-Match': page.headers['etag'] ?? '', Accept: BROWSER };
    expect((await send(`${service.instances[0]?.url}/`, { headers: tag })).status).to.equal(304);
  });

  it('says what the plans give and where prices are shown, as llms.txt and the chapter on limits do', async () => {
    for (const path of ['/llms.txt', '/docs/limits']) {
      const [free, sold] = [await ask(path, BROWSER), await ask(path, BROWSER, open)];
      expect(free.text, path).to.include('The Free plan costs nothing').and.include('50,000');
      expect(free.text, path).to.include('contact us for their prices');
      expect(sold.text, path).to.include('54,321').and.not.include('50,000');
      expect(sold.text, path).to.include('The checkout shows its price before you pay.');
    }
  });

  it('has a card for each plan, with its limits, its price and one button', async () => {
    const [free, sold] = [await ask('/', BROWSER), await ask('/', BROWSER, open)];
    const cardsIn = (html: string) =>
      (/<ul class="plan-cards">(.*)<\/ul><\/section>/s.exec(html)?.[1] ?? '')
        .split('<h3>')
        .slice(1)
        .map((card) =>
          [...card.matchAll(/class="price">([^<]*)|href="([^"]*)"/g)].map(([, price, to]) => price ?? to),
        );
    expect(cardsIn(free.text)).to.deep.equal([['Free', '/dashboard'], ['On request'], ['On request']]);
    expect(cardsIn(sold.text)).to.deep.equal([
      ['Free', '/dashboard'],
      ['Price at the checkout', '/dashboard/subscription'],
      ['Price at the checkout', '/dashboard/subscription'],
    ]);
    expect(free.text).to.include('50,000 requests a day').and.not.include('installation');
    expect(sold.text).to.include('54,321 requests a day').and.not.include('50,000');
  });

  it('says on the card who scores an item, and in llms.txt and the chapter on fields who writes it', async () => {
    expect((await ask('/', BROWSER)).text).to.include('are scored by the publisher');
    for (const path of ['/llms.txt', '/docs/fields', '/docs/fields.md']) {
      expect((await ask(path, BROWSER)).text, path).to.include('The publisher of the feed writes the effect');
    }
  });

  it('names a contact on every page and in llms.txt with SUPPORT_CONTACT, and none without it', async () => {
    for (const path of ['/', '/docs', '/docs/errors', '/nowhere', '/llms.txt']) {
      const link =
        path === '/llms.txt'
          ? 'Questions: help@example.com\n'
          : 'Questions? <a href="mailto:help@example.com?subject=Oddswire">help@example.com</a>';
      expect((await ask(path, BROWSER, open)).text, path).to.include(link);
      expect((await ask(path, BROWSER)).text, path).not.to.include('Questions');
    }
  });

  it('shows no item of the feed, because customers pay for it', async () => {
    await publish(client);
    const { text } = await ask('/', BROWSER);
    expect(text).to.include('An invented example').and.not.to.include('Only customers');
  });

  it('shows the newest item with FRONT_PAGE_HEADLINE=on, and the sample while there is none', async () => {
    expect((await ask('/', BROWSER, open)).text).to.include('An invented example');
    await publish(await Client.of(open));
    const { text } = await ask('/', BROWSER, open);
    expect(text).to.include('The newest item').and.to.include('Only customers read this &lt;headline');
    expect(text).not.to.include('Invented stories');
  });

  it('has the card of the newest item alone for its script, for a second, and only with the setting', async () => {
    const card = await ask('/?newest', BROWSER, open);
    expect([card.status, card.headers['cache-control']]).to.deep.equal([200, 'public, max-age=1']);
    expect(card.headers['content-security-policy']).to.include("default-src 'none'");
    expect(card.text).to.include('Only customers read this &lt;headline').and.not.include('<html');
    expect((await ask('/?newest', BROWSER)).status).to.equal(204);
    expect((await ask('/?newest', '*/*', open)).headers['content-type']).to.include('application/json');
  });

  it('is named by errors and by /openapi.json, and not by the 200 of the feed (RFC 8631)', async () => {
    const { key } = await aKey(client);
    for (const path of ['/pm/v2/news', '/nowhere', '/status?'.padEnd(5_000, 'x')]) {
      const { status, headers } = await client.ask(path);
      expect(status, path).to.be.within(401, 414);
      expect(headers['link'], path).to.include('</docs>; rel="service-doc"');
    }
    expect((await client.ask('/openapi.json')).headers['link']).to.include('rel="service-doc"');
    expect((await client.news(key)).headers).not.to.have.property('link');
    expect((await client.ask('/nowhere')).json)
      .to.have.property('detail')
      .that.includes(`${ADDRESS}/docs`);
    expect((await client.ask('/pm/v2/news')).json)
      .to.have.property('detail')
      .that.includes(`${ADDRESS}/docs/authentication`);
  });

  it('has the files for programs beside it: robots, llms.txt, favicon and the API catalog', async () => {
    const read = async (path: string) => {
      const { status, headers, text } = await ask(path, '*/*');
      expect(status, path).to.equal(200);
      return { type: headers['content-type'], text };
    };
    expect((await read('/robots.txt')).text).to.include('Disallow: /dashboard\n');
    expect((await read('/favicon.ico')).type).to.equal('image/svg+xml');
    const llms = await read('/llms.txt');
    expect(llms.text).to.match(/^# Oddswire\n\n> /);
    const linked = [...llms.text.matchAll(/\]\(https:\/\/api\.oddswire\.test(\/[^)]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(linked.length).to.be.above(10);
    expect(llms.text).to.include(`over MCP at ${ADDRESS}/mcp`);
    for (const path of linked) await read(path);
    const catalog = await read('/.well-known/api-catalog');
    expect(catalog.type).to.match(/^application\/linkset\+json/);
    expect(JSON.parse(catalog.text)).to.have.nested.property(
      'linkset[1].service-desc[0].href',
      `${ADDRESS}/openapi.json`,
    );
  });

  it('has a security.txt only with SECURITY_CONTACT, which expires in the future (RFC 9116)', async () => {
    expect((await ask('/.well-known/security.txt', '*/*')).status).to.equal(404);
    const { text } = await ask('/.well-known/security.txt', '*/*', open);
    expect(text).to.include('Contact: mailto:security@example.com\n').and.include(`Canonical: ${ADDRESS}/`);
    const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? '');
    expect(expires - Date.now()).to.be.within(30 * 86_400_000, 365 * 86_400_000);
  });
});
