import { expect } from 'chai';
import type { Replacement } from '../../../../src/composition/compose.js';
import { DAY, plus, SECOND } from '../../../../src/domain/moment.js';
import { LINK_LIFETIME } from '../../../../src/domain/sign-in/sign-in.js';
import { type Composed, composed } from '../../../support/service/composed.js';
import { Visitor } from '../../../support/service/visitor.js';

let people = 0;
const newEmail = (): string => {
  people += 1;
  return `person-${people}@example.org`;
};

describe('Signing in to the dashboard', () => {
  let service: Composed;
  const sentLinks: { to: string; path: string }[] = [];
  const replacing: Replacement = () => ({
    mailSignInLink:
      () =>
      async (to, { url }) => {
        const { pathname, search } = new URL(url);
        sentLinks.push({ to, path: `${pathname}${search}` });
        return 'sent';
      },
  });
  before(async () => {
    service = await composed({}, replacing);
  });
  after(() => service.stop());

  const visitor = () => new Visitor(service.url);
  const asked = async (person = visitor(), email = newEmail()) => {
    const sent = await person.submit('/dashboard/sign-in', { email });
    expect(sent.status).to.equal(200);
    return { person, email, path: sentLinks.findLast(({ to }) => to === email)?.path ?? '' };
  };
  const signedIn = async () => {
    const { person, email, path } = await asked();
    const home = await person.open(path);
    return { person, email, path, home };
  };

  it('signs in directly if the link is opened in the browser that requested it', async () => {
    const { home, email } = await signedIn();
    expect(home.status).to.equal(200);
    expect(home.text).to.include('You have no keys yet').and.include(email);
    const account = await service.parts.accounts.findByEmail(email);
    expect([account?.subscription.plan, account?.keys]).to.deep.equal(['free', []]);
  });

  it('asks for confirmation if the link is opened in another browser; opening it does not use it up', async () => {
    const { path, email } = await asked();
    const elsewhere = visitor();
    for (const method of ['GET', 'HEAD', 'GET']) {
      const seen = await elsewhere.openOnce(path, method);
      expect([seen.status, elsewhere.cookies.size]).to.deep.equal([200, 0]);
    }
    const { person, path: own } = await asked();
    expect((await person.openOnce(own, 'HEAD')).status).to.equal(200);
    expect((await person.open(own)).text).to.include('You have no keys yet');
    const page = await elsewhere.open(path);
    expect(page.text).to.include(`This link signs you in as ${email}.`);
    const token = new URL(path, service.url).searchParams.get('token') ?? '';
    const home = await elsewhere.submit('/dashboard/sign-in/link', { token });
    expect(home.text).to.include('You have no keys yet');
  });

  it('accepts a link once, and for 15 minutes', async () => {
    const { person, path } = await signedIn();
    expect((await visitor().open(path)).status).to.equal(410);
    expect((await person.open(path)).status).to.equal(410);
    const late = await asked();
    service.clock.at = plus(service.clock.at, LINK_LIFETIME);
    const answer = await late.person.open(late.path);
    expect([answer.status, answer.text.includes('for 15 minutes')]).to.deep.equal([410, true]);
    expect(await service.parts.accounts.findByEmail(late.email)).to.equal(null);
  });

  it('shows the same page for addresses with an account, without one, and over the email limit', async () => {
    const known = await signedIn();
    const title = (email: string, text: string) => text.replaceAll(email, 'X');
    const [one, other] = [known.email, newEmail()];
    const texts = [];
    for (const email of [one, other, other, other, other, other, other]) {
      texts.push(title(email, (await visitor().submit('/dashboard/sign-in', { email })).text));
    }
    expect(new Set(texts).size).to.equal(1);
    expect(sentLinks.filter(({ to }) => to === other)).to.have.length(5);
  });

  it('rejects an invalid address and sends no email', async () => {
    const before = sentLinks.length;
    for (const email of ['', 'nobody', 'a b@c.org', 'x@y@z']) {
      const answer = await visitor().submit('/dashboard/sign-in', { email });
      expect([answer.status, answer.text.includes('Enter an email address')]).to.deep.equal([400, true]);
      expect(answer.html).to.include('aria-invalid="true"');
    }
    expect(sentLinks).to.have.length(before);
  });

  it('creates a new secret at every sign-in and ends the previous session of the browser', async () => {
    const { person, email } = await signedIn();
    const before = new Map(person.cookies);
    const again = await asked(person, email);
    await person.open(again.path);
    expect(person.cookies.get('oddswire_session')).not.to.equal(before.get('oddswire_session'));
    const old = visitor();
    for (const [name, value] of before) old.cookies.set(name, value);
    expect((await old.open('/dashboard/keys')).text).to.include('Email me a sign-in link');
  });

  it('ends one session on sign-out, all sessions of the user on sign-out everywhere, and none of other users', async () => {
    const { person, email } = await signedIn();
    const other = await asked(visitor(), email);
    await other.person.open(other.path);
    const stranger = await signedIn();
    const cookies = new Map(person.cookies);
    await person.open('/dashboard/keys');
    const out = await person.submit('/dashboard/sign-out');
    expect(out.text).to.include('Email me a sign-in link');
    expect(person.cookies.size).to.equal(0);
    const old = visitor();
    for (const [name, value] of cookies) old.cookies.set(name, value);
    expect((await old.openOnce('/dashboard/keys')).status).to.equal(303);

    const third = await asked(visitor(), email);
    await third.person.open(third.path);
    await other.person.open('/dashboard/keys');
    await other.person.submit('/dashboard/sign-out', { everywhere: 'yes' });
    expect((await third.person.openOnce('/dashboard/keys')).status).to.equal(303);
    expect((await stranger.person.openOnce('/dashboard/keys')).status).to.equal(200);
  });

  it('ends a session after 7 days without a visit, and after 30 days in any case', async () => {
    const { person } = await signedIn();
    for (const days of [6, 6, 6, 6]) {
      service.clock.at = plus(service.clock.at, days * DAY);
      expect((await person.openOnce('/dashboard/keys')).status).to.equal(200);
    }
    service.clock.at = plus(service.clock.at, 6 * DAY);
    expect((await person.openOnce('/dashboard/keys')).status).to.equal(303);
    const idle = await signedIn();
    service.clock.at = plus(service.clock.at, 7 * DAY + SECOND);
    expect((await idle.person.openOnce('/dashboard/keys')).status).to.equal(303);
  });

  it('does not extend a session when a page polls', async () => {
    const { person } = await signedIn();
    service.clock.at = plus(service.clock.at, 6 * DAY);
    expect((await person.open('/dashboard/keys', { 'Sec-Fetch-Mode': 'cors' })).status).to.equal(200);
    service.clock.at = plus(service.clock.at, DAY);
    expect((await person.openOnce('/dashboard/keys')).status).to.equal(303);
  });

  it('refuses a client address after too many attempts, with a Retry-After', async () => {
    const tried = await composed({}, replacing);
    const person = new Visitor(tried.url);
    const statuses = [];
    for (let i = 0; i < 31; i += 1) {
      const answer = await person.submit('/dashboard/sign-in', { email: newEmail() });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0);
    }
    await tried.stop();
    expect(statuses).to.deep.equal([...Array.from({ length: 30 }, () => 200), 429]);
  });

  it('keeps the secrets of links and sessions out of the log', async () => {
    const { person, path } = await signedIn();
    const secrets = [
      new URL(path, service.url).searchParams.get('token') ?? '',
      person.cookies.get('oddswire_session') ?? '',
    ];
    await person.open('/dashboard/usage');
    const lines = JSON.stringify(service.lines);
    expect(secrets.every((secret) => secret.length === 43)).to.equal(true);
    expect(secrets.filter((secret) => lines.includes(secret))).to.deep.equal([]);
  });

  it('sets cookies over https that scripts, other hosts and plain connections cannot read', async () => {
    const secure = await composed({ PUBLIC_URL: 'https://oddswire.example' }, replacing);
    const person = new Visitor(secure.url);
    const email = newEmail();
    const sent = await person.submit('/dashboard/sign-in', { email });
    const path = sentLinks.findLast(({ to }) => to === email)?.path ?? '';
    const home = await person.openOnce(path);
    await secure.stop();
    const lines = [...(sent.headers['set-cookie'] ?? []), ...(home.headers['set-cookie'] ?? [])];
    expect(lines.map((line) => line.split('=')[0])).to.include('__Host-oddswire_session');
    for (const line of lines) {
      expect(line).to.match(/^__Host-oddswire_\w+=/);
      expect(line.toLowerCase()).to.include('; path=/').and.include('; secure').and.include('; httponly');
      expect(line.toLowerCase()).to.include('; samesite=lax').and.not.include('domain');
    }
    const lasting = lines.filter((line) => line.includes('expires=') && !line.includes('1970'));
    expect(lasting).not.to.deep.equal([]);
    // By the clock of the browser, whatever the clock of the service is.
    for (const line of lasting) expect(line).to.match(/; max-age=[1-9]\d*$/);
    expect(home.headers['strict-transport-security']).to.include('max-age');
  });

  it('offers no emailed link over plain http, and says which setting is missing', async () => {
    const open = await composed({ PUBLIC_URL: 'http://oddswire.example' });
    const person = new Visitor(open.url);
    const page = await person.open('/dashboard/sign-in');
    const post = await person.submit('/dashboard/sign-in', { email: newEmail() });
    await open.stop();
    expect(page.text).to.include('Sign-in is not configured yet').and.include('PUBLIC_URL');
    expect(post.status).to.equal(405);
  });

  it('creates one account for a user who opens two links at once', async () => {
    const email = newEmail();
    const [one, other] = [await asked(visitor(), email), await asked(visitor(), email)];
    const homes = await Promise.all([one.person.open(one.path), other.person.open(other.path)]);
    expect(homes.map(({ status }) => status)).to.deep.equal([200, 200]);
    const account = await service.parts.accounts.findByEmail(email);
    expect(account?.email).to.equal(email);
  });
});
