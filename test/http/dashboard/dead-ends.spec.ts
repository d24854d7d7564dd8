import { expect } from 'chai';
import { problemPages } from '../../../src/adapters/dashboard/problem-pages.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ask, type Composed, composed, type Holder, keyHolder } from '../../support/service/composed.js';
import { bareContext, blockedFeed } from '../../support/service/middleware.js';
import { operatorOf, type PageAnswer, Visitor, visitorOf } from '../../support/service/visitor.js';
import { rawSocket } from '../listener/raw-socket.js';

const isPage = ({ headers }: PageAnswer): boolean => headers['content-type'] === 'text/html; charset=utf-8';
/** Whether the page has the navigation of a signed-in user. */
const hasNavigation = ({ html, text }: PageAnswer): boolean =>
  html.includes('<nav aria-label="Main">') && text.includes('Sign out');

describe('An error page', () => {
  let service: Composed;
  let holder: Holder;
  let fault: Error | null = null;
  let isSessionAway = false;
  const sentLinks: string[] = [];
  before(async () => {
    service = await composed({}, ({ findSession }) => {
      return {
        findSession:
          () =>
          async (...asked) => {
            if (isSessionAway) throw new Unavailable('sessions', new Error('away'));
            return findSession(...asked);
          },
        mailSignInLink:
          () =>
          async (_, { url }) => {
            const { pathname, search } = new URL(url);
            sentLinks.push(`${pathname}${search}`);
            return 'sent';
          },
        readLimits: () => async () => {
          if (fault !== null) throw fault;
          return null;
        },
      };
    });
    holder = await keyHolder(service);
  });
  after(() => service.stop());
  afterEach(() => {
    fault = null;
    isSessionAway = false;
  });

  const signedIn = () => visitorOf(service, holder.account);
  const stranger = () => new Visitor(service.url);

  it('has the navigation of the signed-in user for every error', async () => {
    const person = await signedIn();
    const forged = { 'Sec-Fetch-Site': 'cross-site' };
    const answers: readonly (readonly [status: number, answer: () => Promise<PageAnswer>])[] = [
      [404, () => person.open('/dashboard/nothing')],
      [404, () => person.open('/dashboard/keys/key_of_nobody/rotation')],
      [404, () => person.open('/dashboard/assets/nothing')],
      [405, () => person.openOnce('/dashboard/feed', 'POST')],
      [409, () => person.submit('/dashboard/keys', { seen: 'key_of_nobody' })],
      [400, () => person.post('/dashboard/keys', {}, { 'Content-Type': 'application/json' })],
      [403, () => person.post('/dashboard/keys', {}, forged)],
      [403, () => person.post('/dashboard/keys', { form_token: 'x' })],
    ];
    for (const [status, answer] of answers) {
      const page = await answer();
      expect([page.status, hasNavigation(page)]).to.deep.equal([status, true]);
    }
    for (let i = 0; i < 10; i += 1) await person.openOnce('/dashboard/subscription/portal');
    const tooMany = await person.open('/dashboard/subscription/portal');
    expect([tooMany.status, hasNavigation(tooMany)]).to.deep.equal([429, true]);
    for (const [thrown, status] of [
      [new Unavailable('counters', new Error('away')), 503],
      [new Error('a bug'), 500],
    ] as const) {
      fault = thrown;
      const page = await person.open('/dashboard/subscription');
      expect([page.status, hasNavigation(page)]).to.deep.equal([status, true]);
    }
  });

  it('has the navigation of the signed-in operator in the console, and not that of a customer', async () => {
    const person = await operatorOf(service);
    person.cookies.set('oddswire_session', (await signedIn()).cookies.get('oddswire_session') ?? '');
    for (const path of ['/operator/nothing', '/operator/accounts/nobody', '/operator/payment-events/none']) {
      const page = await person.open(path);
      expect([page.status, hasNavigation(page)]).to.deep.equal([404, true]);
      expect(page.text).to.include('Payment events').and.not.include('Usage');
    }
    const wrong = await person.openOnce('/operator/payment-events', 'DELETE');
    expect([wrong.status, hasNavigation(wrong)]).to.deep.equal([405, true]);
  });

  it('has no navigation without a session, or over plain http from another machine', async () => {
    const page = await stranger().open('/dashboard/nothing');
    expect([page.status, hasNavigation(page)]).to.deep.equal([404, false]);
    const cookie = `oddswire_session=${(await signedIn()).cookies.get('oddswire_session')}`;
    const elsewhere = await ask(`${service.url}/dashboard/nothing`, {
      headers: { Host: 'oddswire.example', Cookie: cookie },
    });
    expect([elsewhere.status, String(elsewhere.body).includes('<nav')]).to.deep.equal([403, false]);
  });

  it('has no navigation while sessions cannot be read, and keeps the status of the error', async () => {
    const person = await signedIn();
    isSessionAway = true;
    const page = await person.open('/dashboard/keys');
    expect([page.status, page.headers['retry-after'], hasNavigation(page)]).to.deep.equal([503, '1', false]);
    expect(page.text).to.include('Temporarily unavailable').and.include('Go to the dashboard');
    const missing = await person.open('/dashboard/nothing');
    expect([missing.status, hasNavigation(missing)]).to.deep.equal([404, false]);
  });

  it('shows the sign-in form again after a wrong operator token', async () => {
    const person = stranger();
    const page = await person.submit('/operator/sign-in', { token: 'not-the-token' });
    expect(page.status).to.equal(403);
    expect(page.text).to.include('Wrong operator token');
    expect(page.html)
      .to.match(/<input id="token"[^>]*aria-invalid="true"/)
      .and.not.include('not-the-token');
    const again = await person.submit('/operator/sign-in', { token: 'operator-token-of-the-tests' });
    expect(again.text).to.include('Sign out everywhere');
  });

  it('shows the form for a new link after a used or unknown one', async () => {
    const person = stranger();
    await person.submit('/dashboard/sign-in', { email: 'spent@dead-ends.example' });
    const spent = sentLinks.at(-1) ?? '';
    expect((await person.open(spent)).status).to.equal(200);
    for (const path of [spent, '/dashboard/sign-in/link?token=nothing', '/dashboard/sign-in/link']) {
      const someone = stranger();
      const page = await someone.open(path);
      expect(page.status, path).to.equal(410);
      expect(page.text).to.include('has expired or was already used').and.include('Email me a sign-in link');
      const before = sentLinks.length;
      await someone.submit('/dashboard/sign-in', { email: `after-${before}@dead-ends.example` });
      expect(sentLinks).to.have.length(before + 1);
      expect((await someone.open(sentLinks.at(-1) ?? '')).text).to.include('You have no keys yet');
    }
    const again = await person.open(spent);
    expect([again.status, hasNavigation(again)]).to.deep.equal([410, true]);
  });
});

describe('A request that the listener refuses before routing', () => {
  let service: Composed;
  const feed = blockedFeed(true);
  before(async () => {
    service = await composed({ REQUESTS_IN_HAND_MAX: '1' }, feed.replace);
  });
  after(() => service.stop());

  const PATHS = ['/dashboard', '/dashboard/keys', '/operator', '/operator/accounts/x'];
  const expectGuarded = (page: PageAnswer) => {
    expect(isPage(page)).to.equal(true);
    expect(page.headers['content-security-policy']).to.include("default-src 'none'");
    expect(page.headers['cache-control']).to.equal('no-store');
    expect(page.headers['x-request-id']).to.match(/^[\w-]+$/);
    expect(page.text).to.include(String(page.headers['x-request-id']));
  };

  it('gets a page if its address is too long, and a problem document on the API', async () => {
    for (const path of PATHS) {
      const page = await new Visitor(service.url).openOnce(`${path}?${'a'.repeat(4_097)}`);
      expect([path, page.status]).to.deep.equal([path, 414]);
      expectGuarded(page);
      expect(page.text).to.include('too long');
    }
    const api = await ask(`${service.url}/pm/v2/news?${'a'.repeat(4_097)}`);
    expect([api.status, api.headers['content-type']]).to.deep.equal([
      414,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('gets a page if it has two Host headers, and the connection is closed', async () => {
    for (const path of PATHS) {
      const socket = await rawSocket(service.port);
      socket.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n`);
      const answer = await socket.all();
      expect(answer)
        .to.match(/^HTTP\/1\.1 400 /)
        .and.match(/content-type: text\/html/i);
      expect(answer)
        .to.match(/connection: close/i)
        .and.include('Bad request');
    }
  });

  it('gets a page with Retry-After if too many requests are in progress', async () => {
    const { account } = await keyHolder(service);
    const person = await visitorOf(service, account);
    const held = person.openOnce('/dashboard/feed');
    await feed.entered;
    for (const path of PATHS.filter((one) => one.startsWith('/dashboard'))) {
      const page = await new Visitor(service.url).openOnce(path);
      expect([page.status, page.headers['retry-after']]).to.deep.equal([503, '1']);
      expectGuarded(page);
    }
    feed.release();
    expect((await held).status).to.equal(200);
  });

  it('gets the text of the problem document if the pages have none of their own', async () => {
    const ctx = bareContext({ url: '/dashboard/keys' });
    ctx.state = { requestId: 'request-id-7' } as typeof ctx.state;
    await problemPages(true)(ctx, async () => {
      ctx.status = 408;
      ctx.set('Retry-After', '7');
      ctx.body = { code: 'request_timeout', title: 'Too slow', detail: 'The <form> took too long.' };
      ctx.type = 'application/problem+json; charset=utf-8';
    });
    expect([ctx.status, ctx.response.get('Retry-After'), ctx.type]).to.deep.equal([408, '7', 'text/html']);
    expect(ctx.body).to.include('Too slow').and.include('The &lt;form> took too long.');
    expect(ctx.body).to.include('request-id-7');
    expect(ctx.response.get('Strict-Transport-Security')).to.include('max-age');
  });

  it('gets a problem document if the HTTP parser refuses it', async () => {
    const socket = await rawSocket(service.port);
    socket.send('GET /dashboard HTTP/1.1\r\nHost: localhost\r\nBroken\r\n\r\n');
    await socket.until('request_id');
    expect(socket.received()).to.include('application/problem+json');
    socket.socket.destroy();
  });
});
