import { expect } from 'chai';
import { isOnThisMachine } from '../../../src/adapters/dashboard/private-connection.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ACCOUNTS, BILLING_PORTAL, PUBLISH_NEWS, USAGE_HISTORY } from '../../../src/composition/parts.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { accepted, market, openInvoice, publication, subMarket } from '../../support/objects/builders.js';
import {
  ask,
  askNews,
  type Composed,
  composed,
  keyHolder,
  rewrite,
  START,
} from '../../support/service/composed.js';
import { type PageAnswer, Visitor, visitorOf } from '../../support/service/visitor.js';

const PAGES = ['keys', 'usage', 'feed', 'subscription'].map((name) => `/dashboard/${name}`);

describe('Pages of the dashboard', () => {
  let service: Composed;
  let visitor: Visitor;
  let holder: Awaited<ReturnType<typeof keyHolder>>;
  const portal = { url: 'https://pay.example/session' as string | null };
  before(async () => {
    service = await composed({}, ({ part }) =>
      part(BILLING_PORTAL, () => ({
        emailOf: async () => (await service.get(ACCOUNTS).find(holder.account))?.email ?? null,
        open: async (customer, returnUrl) =>
          portal.url === null ? null : `${portal.url}?for=${customer}&back=${returnUrl}`,
      })),
    );
    holder = await keyHolder(service);
    visitor = await visitorOf(service, holder.account);
  });
  after(() => service.stop());

  it('run nothing but what the service serves, are kept by nobody, and stand in no frame', async () => {
    for (const path of [...PAGES, '/dashboard/sign-in', '/dashboard/nothing']) {
      const { headers } = await visitor.glance(path);
      const policy = headers['content-security-policy'] as string;
      expect(policy, path).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(policy).not.to.include('unsafe').and.not.include('http');
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['access-control-allow-origin']).to.equal(undefined);
      expect(headers['ratelimit']).to.equal(undefined);
    }
  });

  it('load nothing from elsewhere, hold nothing inline, and are small', async () => {
    const texts = await Promise.all(PAGES.map((path) => visitor.open(path)));
    for (const { html, body } of texts) {
      expect(body.length).to.be.lessThan(100_000);
      expect(html).not.to.match(/<style|style="|<script(?![^>]* src="\/dashboard\/assets\/)|\son\w+="/);
      expect(html).not.to.match(/<(?:link|script|img)[^>]+(?:href|src)="(?!\/dashboard\/assets\/)/);
    }
    const assets = new Set(texts.flatMap(({ html }) => html.match(/\/dashboard\/assets\/[^"]+/g) ?? []));
    expect([...assets].map((asset) => asset.replace(/.*\/|\?.*/g, '')).sort()).to.deep.equal([
      ...[
        'chart.js',
        'copy.js',
        'countdown.js',
        'dashboard.css',
        'icon.svg',
        'live.js',
        'uplot.css',
        'uplot.js',
      ],
    ]);
    for (const asset of assets) {
      const { status, headers } = await ask(`${service.url}${asset}`);
      expect([status, headers['cache-control']]).to.deep.equal([200, 'public, max-age=31536000, immutable']);
    }
    const older = await ask(`${service.url}/dashboard/assets/dashboard.css?v=of-another-version`);
    expect([older.status, older.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect((await ask(`${service.url}/dashboard/assets/constructor`)).status).to.equal(404);
    expect((await ask(`${service.url}/dashboard/assets/..%2Fdashboard.css`)).status).to.equal(404);
  });

  it('are not shown over plain http to who calls the service by another name than localhost', async () => {
    const secret = visitor.cookies.get('oddswire_session') ?? '';
    for (const Host of ['oddswire.example', 'localhost.oddswire.example', '192.0.2.1:8080']) {
      const headers = { Host, Cookie: `oddswire_session=${secret}` };
      for (const path of ['/dashboard/keys', '/dashboard/sign-in', '/operator/sign-in']) {
        const answer = await ask(`${service.url}${path}`, { headers });
        expect(answer.status, `${Host} ${path}`).to.equal(403);
        expect(String(answer.body)).to.include('Not over plain http').and.not.include('<form');
      }
    }
    const local = { Host: 'LOCALHOST:1', Cookie: `oddswire_session=${secret}` };
    expect((await ask(`${service.url}/dashboard/keys`, { headers: local })).status).to.equal(200);
  });

  it('know their own machine by the other end of the connection, too', () => {
    // biome-ignore format: a table is read by its columns
    const ends: readonly (readonly [address: string, host: string, isHere: boolean])[] = [
      ['127.0.0.1',        'localhost:8080', true],
      ['127.8.9.1',        '127.0.0.1',      true],
      ['::1',              '[::1]:8080',     true],
      ['::ffff:127.0.0.1', 'localhost',      true],
      ['192.0.2.1',        'localhost:8080', false],
      ['::ffff:192.0.2.1', 'localhost',      false],
      ['127.0.0.1',        'example.org',    false],
      ['127.0.0.1',        '',               false],
    ];
    for (const [remoteAddress, host, isHere] of ends) {
      const ctx = { req: { socket: { remoteAddress } }, get: () => host };
      expect(
        isOnThisMachine(ctx as unknown as Parameters<typeof isOnThisMachine>[0]),
        `${remoteAddress} ${host}`,
      ).to.equal(isHere);
    }
  });

  it('lead who is not signed in to the way in, and do nothing for them', async () => {
    const stranger = new Visitor(service.url);
    for (const path of PAGES) {
      const answer = await stranger.glance(path);
      expect([answer.status, answer.headers['location']]).to.deep.equal([303, '/dashboard/sign-in']);
    }
    const home = await stranger.glance('/dashboard');
    expect([home.status, home.headers['location']]).to.deep.equal([303, '/dashboard/keys']);
    for (const secret of ['', 'x', 'a'.repeat(43), '%00', 'é']) {
      const { status } = await ask(`${service.url}/dashboard/keys`, {
        headers: { Cookie: `oddswire_session=${encodeURIComponent(secret)}` },
      });
      expect(status).to.equal(303);
    }
  });

  it('tell what is wrong as a page: no such page, another method, no form, too large a form', async () => {
    const missing = await visitor.open('/dashboard/nothing');
    expect([missing.status, missing.text.includes('Nothing here')]).to.deep.equal([404, true]);
    const wrong = await visitor.glance('/dashboard/keys', 'DELETE');
    expect([wrong.status, wrong.headers['allow']]).to.deep.equal([405, 'GET, HEAD, POST']);
    const json = await ask(`${service.url}/dashboard/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect([json.status, String(json.body).includes('Not a form')]).to.deep.equal([400, true]);
    const large = await visitor.post('/dashboard/sign-in', { email: 'x'.repeat(20_000) });
    expect([large.status, large.headers['connection']]).to.deep.equal([400, 'close']);
    expect((await visitor.glance(`/dashboard/feed?${'a&'.repeat(4_000)}`)).status).to.equal(414);
    expect((await visitor.glance('/dashboardx')).headers['content-type']).to.include('problem+json');
  });

  it('say that a part is away, and leave nothing half done', async () => {
    const away = await composed({}, ({ part }) => {
      part(USAGE_HISTORY, () => ({
        note: () => {},
        of: async () => {
          throw new Unavailable('Postgres', new Error('away'));
        },
      }));
    });
    const { account } = await keyHolder(away);
    const page = await (await visitorOf(away, account)).open('/dashboard/usage');
    await away.stop();
    expect([page.status, page.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(page.text).to.include('Back in a moment').and.not.include('Postgres');
  });

  it('tell nothing of what went wrong inside, but an id to find it by', async () => {
    const broken = await composed({}, ({ part }) => {
      part(USAGE_HISTORY, () => ({
        note: () => {},
        of: async () => {
          throw new Error('a secret detail');
        },
      }));
    });
    const { account } = await keyHolder(broken);
    const page = await (await visitorOf(broken, account)).open('/dashboard/usage');
    const [, id = ''] = /Request ([\w-]+)/.exec(page.text) ?? [];
    const line = await broken.line(({ msg, request_id }) => msg === 'fault' && request_id === id);
    await broken.stop();
    expect([page.status, page.html.includes('secret detail')]).to.deep.equal([500, false]);
    expect(JSON.stringify(line)).to.include('a secret detail');
  });

  it('show requests by key, hour, day and status, and how fresh the feed is', async () => {
    const mine = await keyHolder(service);
    const own = await visitorOf(service, mine.account);
    for (const _ of [1, 2]) await askNews(service, mine.value);
    await askNews(service, mine.value, {}, '?limit=0');
    await service.line(({ key_id, status }) => key_id === mine.key.id && status === 400);
    const page = await own.open('/dashboard/usage');
    expect(page.text).to.include('The last 24 hours 3 requests in all.').and.include('The feed is empty');
    expect(page.text).to.include('03-01 12:00 2 0 1 0 3').and.include('2026-03-01 2 0 1 0 3');
    expect(page.text).to.include(`${mine.key.prefix}… 2 0 1 0 3`);
    const other = await own.open('/dashboard/usage?key=key_of_nobody');
    expect(other.text).to.include('03-01 12:00 2 0 1 0 3');
    expect((await own.open(`/dashboard/usage?key=${mine.key.id}`)).html).to.include('selected');
    expect((await visitor.open('/dashboard/usage')).text).to.include('12:00 0 0 0 0 0');
  });

  it('tell the plan, what stands in the way and what is owed, in words (D27, D28)', async () => {
    const well = await visitor.open('/dashboard/subscription');
    expect(well.text).to.include('All is well: requests are served.').and.include('Plan pro State active');
    expect(well.text).to.include('per minute 3,000').and.not.include('Invoices and payment method');
    const invoice = openInvoice({ firstFailedAt: START });
    await rewrite(service, holder.account, (account) => ({ ...account, dunning: [invoice] }));
    const dunned = await visitor.open('/dashboard/subscription');
    expect(dunned.text).to.include(
      'Open invoice in_7: The payment failed on 1 March 2026, and the second retry failed too; the next is expected on 3 March 2026.',
    );
    expect(dunned.text).to.include(
      'A payment failed. Requests are still served. They are refused from 12 March 2026 at the latest. Pay every open invoice to keep access.',
    );
    await rewrite(service, holder.account, (account) => ({
      ...account,
      subscription: {
        ...account.subscription,
        standing: { status: 'suspended', causes: ['payment_failure'] },
      },
    }));
    const stopped = await visitor.open('/dashboard/subscription');
    expect(stopped.text).to.include('Requests with your keys get 402.');
    expect(stopped.text).to.include('Pay every open invoice. Your keys then work again, unchanged.');
    for (const [state, words] of [
      ['paused', 'Resume the subscription'],
      ['incomplete', 'Complete the first payment'],
      ['unpaid', 'The subscription is unpaid'],
    ] as const) {
      await rewrite(service, holder.account, (account) => ({
        ...account,
        dunning: [],
        subscription: { ...account.subscription, state, standing: { status: 'active' } },
      }));
      expect((await visitor.open('/dashboard/subscription')).text).to.include(words);
      expect((await visitor.open('/dashboard/keys')).text)
        .to.include('refused: 402')
        .and.include(words);
    }
    await rewrite(service, holder.account, (account) => ({
      ...account,
      subscription: { ...account.subscription, state: 'active' },
    }));
  });

  it('say by what somebody gets in, where it is a mailed link alone', async () => {
    const page = await visitor.open('/dashboard/subscription');
    expect(page.text).to.match(/Signing in Links mailed to \S+ sign you in, and nothing else does\./);
    expect(page.html).not.to.include('forget-sign-ins');
  });

  it('lead to the pages of the processor where the account is a customer there', async () => {
    expect((await visitor.glance('/dashboard/subscription/portal')).status).to.equal(404);
    await rewrite(service, holder.account, (account) => ({ ...account, processorCustomerId: 'cus_7' }));
    expect((await visitor.open('/dashboard/subscription')).text).to.include('Invoices and payment method');
    const { status, headers } = await visitor.glance('/dashboard/subscription/portal');
    expect(status).to.equal(303);
    expect(headers['location']).to.match(
      /^https:\/\/pay\.example\/session\?for=cus_7&back=http:.*subscription$/,
    );
    const asked = (path: string, method: string, site: string) =>
      ask(`${service.url}${path}`, {
        method,
        headers: {
          Cookie: `oddswire_session=${visitor.cookies.get('oddswire_session')}`,
          'Sec-Fetch-Site': site,
        },
      });
    for (const [method, site] of [
      ['HEAD', 'same-origin'],
      ['GET', 'cross-site'],
    ] as const) {
      const elsewhere = await asked('/dashboard/subscription/portal', method, site);
      expect(elsewhere.headers['location']).to.equal('/dashboard/subscription');
    }
    portal.url = null;
    expect((await visitor.glance('/dashboard/subscription/portal')).status).to.equal(404);
    const later = [];
    for (let i = 0; i < 9; i += 1)
      later.push((await visitor.glance('/dashboard/subscription/portal')).status);
    expect(later.at(-1)).to.equal(429);
    portal.url = 'https://pay.example/session';
  });

  it('show the feed as people read it, by market too, and the same as a curl line that works', async () => {
    const evil = publication({ id: 'ne_evil', related_markets: [market('m-evil', subMarket('s-evil'))] });
    const items = [
      ...Array.from({ length: 12 }, (_, i) =>
        publication({
          id: `ne_${i}`,
          scored_at: `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`,
          related_markets: [market(`m${i}`, subMarket(`s${i}`), subMarket(`t${i}`))],
        }),
      ),
      {
        ...evil,
        scored_at: '2026-03-01T10:01:00Z',
        news_event: {
          ...evil.news_event,
          headline: '<script>alert(1)</script>',
          source_news_url: 'javascript:alert(1)',
        },
      },
    ];
    for (const answer of await service.get(PUBLISH_NEWS)(items, 'live')) accepted(answer);
    const page = await visitor.open('/dashboard/feed');
    expect(page.text).to.include('<script>alert(1)</script>').and.include('Will s11 happen?');
    expect(page.html).not.to.include('<script>alert').and.not.include('javascript:');
    expect(page.text).to.include('61.0¢').and.include('+2.5 pp, passed').and.include('It brings it closer.');
    expect(page.text).to.include('The Wire (t1)').and.not.include('Will s2 happen?');
    const [older = ''] = page.html.match(/\/dashboard\/feed\?cursor=[^"]+/) ?? [];
    expect((await visitor.open(older)).text)
      .to.include('Will s2 happen?')
      .and.not.include('Older items');

    const one = await visitor.open('/dashboard/feed?market=s5');
    expect(one.text).to.include('Will s5 happen?').and.not.include('Will t5 happen?');
    const [, query = ''] = /\/pm\/v2\/news(\?[^']*)'/.exec(one.text) ?? [];
    const answer = await askNews(service, holder.value, {}, query);
    expect(answer.json<{ items: readonly object[] }>().items).to.have.length(1);
    expect((await visitor.open('/dashboard/feed?market=none')).text).to.include(
      'nothing here about this market',
    );
    expect((await visitor.open('/dashboard/feed?cursor=yesterday')).text).to.include('That cursor is none');
  });

  it('stay small whatever a publisher sends, and leave nothing of the feed out', async () => {
    const own = await composed();
    const long = 'x'.repeat(5_000);
    const items = Array.from({ length: 12 }, (_, i) => {
      const large = publication({
        id: `ne_large_${i}`,
        scored_at: `2026-03-01T10:00:${String(i).padStart(2, '0')}Z`,
        related_markets: Array.from({ length: 9 }, (__, m) =>
          market(`m${i}-${m}`, ...Array.from({ length: 30 }, (___, s) => subMarket(`s${i}-${m}-${s}`))),
        ),
      });
      return { ...large, news_event: { ...large.news_event, headline: `${i} ${long}`, short_context: long } };
    });
    for (const answer of await own.get(PUBLISH_NEWS)(items, 'live')) accepted(answer);
    const person = await visitorOf(own, (await keyHolder(own)).account);
    const seen: string[] = [];
    for (let path: string | undefined = '/dashboard/feed'; path !== undefined; ) {
      const page: PageAnswer = await person.open(path);
      expect(page.body.length).to.be.lessThan(100_000);
      expect(page.text).to.include('And 20 more sub-markets').and.include('And 4 more markets');
      seen.push(...[...page.html.matchAll(/news\.example\/ne_large_(\d+)"/g)].map(([, i = '']) => i));
      path = /\/dashboard\/feed\?cursor=[^"]+/.exec(page.html)?.[0];
    }
    await own.stop();
    expect(seen).to.deep.equal(items.map((_, i) => String(i)).toReversed());
  });

  it('are about the account as it stands now, whether or not due work has run', async () => {
    const due = plus(START, DAY);
    await rewrite(service, holder.account, (account) => ({
      ...account,
      pending: [{ event: 'payment_failed', at: due, askAt: null }],
    }));
    service.clock.at = due;
    expect((await visitor.open('/dashboard/keys')).text).to.include('on hold: 402');
    service.clock.at = START;
    const account = await service.get(ACCOUNTS).find(holder.account);
    expect(account?.subscription.standing).to.deep.equal({ status: 'active' });
  });
});
