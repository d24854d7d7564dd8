import { expect } from 'chai';
import { assetBytes, assetUrl } from '../../../src/adapters/dashboard/assets.js';
import { isOnThisMachine } from '../../../src/adapters/dashboard/private-connection.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { ask, composed, keyHolder, rewrite, START } from '../../support/service/composed.js';
import { bareContext } from '../../support/service/middleware.js';
import { signedInHolder, Visitor, visitorOf } from '../../support/service/visitor.js';

const PAGES = ['keys', 'usage', 'feed', 'destinations', 'subscription'].map((name) => `/dashboard/${name}`);

describe('The pages of the dashboard', () => {
  const { service, holder, visitor } = signedInHolder();

  it('run only scripts of the service, are not cached, and cannot be framed', async () => {
    for (const path of [...PAGES, '/dashboard/sign-in', '/dashboard/nothing']) {
      const { headers } = await visitor().openOnce(path);
      const policy = headers['content-security-policy'] as string;
      expect(policy, path).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(policy).not.to.include('unsafe').and.not.include('http');
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['access-control-allow-origin']).to.equal(undefined);
      expect(headers['ratelimit']).to.equal(undefined);
    }
  });

  it('load nothing from other hosts, contain nothing inline, and are small', async () => {
    const texts = await Promise.all(PAGES.map((path) => visitor().open(path)));
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
        'feed.js',
        'icon.svg',
        'inter.woff2',
        'live.js',
        'market-suggestions.js',
        'request-log.js',
        'submit-on-change.js',
        'tokens.css',
        'uplot.css',
        'uplot.js',
      ],
    ]);
    expect(assetBytes('tokens.css').toString()).to.include(
      `url(inter.woff2?v=${assetUrl('inter.woff2').split('=').at(-1)})`,
    );
    for (const asset of assets) {
      const { status, headers } = await ask(`${service().url}${asset}`);
      expect([status, headers['cache-control']]).to.deep.equal([200, 'public, max-age=31536000, immutable']);
    }
    const older = await ask(`${service().url}/dashboard/assets/dashboard.css?v=of-another-version`);
    expect([older.status, older.headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect((await ask(`${service().url}/dashboard/assets/constructor`)).status).to.equal(404);
    expect((await ask(`${service().url}/dashboard/assets/..%2Fdashboard.css`)).status).to.equal(404);
  });

  it('are refused over plain http under any host name other than localhost', async () => {
    const secret = visitor().cookies.get('oddswire_session') ?? '';
    for (const Host of ['oddswire.example', 'localhost.oddswire.example', '192.0.2.1:8080']) {
      const headers = { Host, Cookie: `oddswire_session=${secret}` };
      for (const path of ['/dashboard/keys', '/dashboard/sign-in', '/operator/sign-in']) {
        const answer = await ask(`${service().url}${path}`, { headers });
        expect(answer.status, `${Host} ${path}`).to.equal(403);
        expect(String(answer.body)).to.include('HTTPS required').and.not.include('<form');
      }
    }
    const local = { Host: 'LOCALHOST:1', Cookie: `oddswire_session=${secret}` };
    expect((await ask(`${service().url}/dashboard/keys`, { headers: local })).status).to.equal(200);
  });

  it('recognise the local machine by the client address as well', () => {
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
      const ctx = bareContext({ peer: remoteAddress, headers: [['Host', host]] });
      expect(isOnThisMachine(ctx), `${remoteAddress} ${host}`).to.equal(isHere);
    }
  });

  it('redirect visitors without a session to the sign-in page', async () => {
    const stranger = new Visitor(service().url);
    for (const path of PAGES) {
      const answer = await stranger.openOnce(path);
      expect([answer.status, answer.headers['location']]).to.deep.equal([303, '/dashboard/sign-in']);
    }
    const home = await stranger.openOnce('/dashboard');
    expect([home.status, home.headers['location']]).to.deep.equal([303, '/dashboard/keys']);
    for (const secret of ['', 'x', 'a'.repeat(43), '%00', 'é']) {
      const { status } = await ask(`${service().url}/dashboard/keys`, {
        headers: { Cookie: `oddswire_session=${encodeURIComponent(secret)}` },
      });
      expect(status).to.equal(303);
    }
  });

  it('answer with an error page: unknown page, wrong method, invalid form, form too large', async () => {
    const missing = await visitor().open('/dashboard/nothing');
    expect([missing.status, missing.text.includes('Page not found')]).to.deep.equal([404, true]);
    const wrong = await visitor().openOnce('/dashboard/keys', 'DELETE');
    expect([wrong.status, wrong.headers['allow']]).to.deep.equal([405, 'GET, HEAD, POST']);
    const json = await ask(`${service().url}/dashboard/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect([json.status, String(json.body).includes('Invalid form')]).to.deep.equal([400, true]);
    const large = await visitor().post('/dashboard/sign-in', { email: 'x'.repeat(20_000) });
    expect([large.status, large.headers['connection']]).to.deep.equal([400, 'close']);
    expect((await visitor().openOnce(`/dashboard/feed?${'a&'.repeat(4_000)}`)).status).to.equal(414);
    expect((await visitor().openOnce('/dashboardx')).headers['content-type']).to.include('problem+json');
  });

  it('answer 503 if a dependency is unavailable', async () => {
    const away = await composed({}, () => ({
      usage: () => ({
        note: () => {},
        of: async () => {
          throw new Unavailable('Postgres', new Error('away'));
        },
      }),
    }));
    const { account } = await keyHolder(away);
    const page = await (await visitorOf(away, account)).open('/dashboard/usage');
    await away.stop();
    expect([page.status, page.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(page.text).to.include('Temporarily unavailable').and.not.include('Postgres');
  });

  it('show the request ID of an internal error, and no detail of it', async () => {
    const broken = await composed({}, () => ({
      usage: () => ({
        note: () => {},
        of: async () => {
          throw new Error('a secret detail');
        },
      }),
    }));
    const { account } = await keyHolder(broken);
    const page = await (await visitorOf(broken, account)).open('/dashboard/usage');
    const [, id = ''] = /Request ID ([\w-]+)/.exec(page.text) ?? [];
    const line = await broken.line(({ msg, request_id }) => msg === 'a request failed' && request_id === id);
    await broken.stop();
    expect([page.status, page.html.includes('secret detail')]).to.deep.equal([500, false]);
    expect(JSON.stringify(line)).to.include('a secret detail');
  });

  it('show the account with due changes applied, even before the background job has run', async () => {
    const due = plus(START, DAY);
    await rewrite(service(), holder().account, (account) => ({
      ...account,
      pending: [{ event: 'payment_failed', at: due, askAt: null }],
    }));
    service().clock.at = due;
    expect((await visitor().open('/dashboard/keys')).text).to.include('Suspended (402)');
    service().clock.at = START;
    const account = await service().parts.accounts.find(holder().account);
    expect(account?.subscription.suspension).to.deep.equal({ status: 'active' });
  });
});
