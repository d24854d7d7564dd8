import { expect } from 'chai';
import { DAY, plus } from '../../../../src/domain/moment.js';
import { accepted } from '../../../support/objects/builders.js';
import { type Composed, composed, START } from '../../../support/service/composed.js';
import { ProviderInMemory } from '../../../support/service/sign-in.js';
import { type PageAnswer, Visitor } from '../../../support/service/visitor.js';

describe('New users from one network', () => {
  let service: Composed;
  let sentLinks: { to: string; path: string }[];
  const provider = new ProviderInMemory('oidc');
  beforeEach(async () => {
    sentLinks = [];
    const limits = { SIGN_IN_MAILS_PER_DAY: '4', NEW_ACCOUNTS_PER_DAY: '2', TRUSTED_PROXY_HOPS: '1' };
    service = await composed(limits, () => ({
      identityProviders: () => [provider],
      mailSignInLink:
        () =>
        async (to, { url }) => {
          const { pathname, search } = new URL(url);
          sentLinks.push({ to, path: `${pathname}${search}` });
          return 'sent';
        },
    }));
  });
  afterEach(() => service.stop());

  let people = 0;
  const newEmail = (): string => {
    people += 1;
    return `stranger-${people}@example.org`;
  };
  const holder = async (): Promise<string> => {
    const identity = { email: newEmail(), plan: 'free', processorCustomerId: null } as const;
    return accepted(await service.parts.openAccount(identity, 'test')).email;
  };
  /** A browser with this client address requests a link. */
  const ask = async (address: string, email: string) => {
    const browser = new Visitor(service.url);
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address };
    const answer = await browser.post('/dashboard/sign-in', { email }, headers);
    return { browser, answer, path: sentLinks.findLast(({ to }) => to === email)?.path ?? '' };
  };
  const asks = async (addresses: readonly string[], email = newEmail): Promise<readonly PageAnswer[]> => {
    const answers = [];
    for (const address of addresses) answers.push((await ask(address, email())).answer);
    return answers;
  };
  const signInWithProvider = async (address: string, email: string) => {
    const browser = new Visitor(service.url);
    const headers = { 'X-Forwarded-For': address };
    const { location = '' } = (await browser.openOnce('/dashboard/sign-in/oidc')).headers;
    const query = provider.approve(location, { subject: email, email });
    return browser.open(`/dashboard/sign-in/oidc/callback?${query}`, headers);
  };

  const networks = {
    'an IPv4 /24': ['203.0.113.', '203.0.114.1'],
    'an IPv6 /64': ['2001:db8:1:2:3::', '2001:db8:1:3::1'],
  } as const;
  for (const [name, [within, outside]] of Object.entries(networks)) {
    it(`receive a limited number of links a day in ${name}, and the page is the same beyond that`, async () => {
      const answers = await asks(Array.from({ length: 6 }, (_, i) => `${within}${i + 1}`));
      expect(sentLinks).to.have.length(4);
      const texts = answers.map(({ text }) => text.replaceAll(/stranger-\d+/g, 'X'));
      expect([new Set(answers.map(({ status }) => status)), new Set(texts).size]).to.deep.equal([
        new Set([200]),
        1,
      ]);
      await asks([outside]);
      expect(sentLinks).to.have.length(5);
      service.clock.at = plus(START, DAY);
      await asks([`${within}9`]);
      expect(sentLinks).to.have.length(6);
    });
  }

  it('do not use up the links of users with an account: those are sent and not counted', async () => {
    const known = await holder();
    for (let i = 0; i < 3; i += 1) await ask('203.0.113.1', known);
    await asks(Array.from({ length: 5 }, () => '203.0.113.2'));
    expect(sentLinks).to.have.length(3 + 4);
    await ask('203.0.113.3', await holder());
    while (sentLinks.length < 3 + 4 + 1) await new Promise(setImmediate);
  });

  it('create a limited number of accounts a day by links; a refused link stays valid, and the page says when to retry', async () => {
    for (let i = 0; i < 2; i += 1) {
      const { browser, path } = await ask('203.0.113.1', newEmail());
      expect((await browser.open(path, { 'X-Forwarded-For': '203.0.113.1' })).status).to.equal(200);
    }
    const email = newEmail();
    const third = await ask('203.0.113.2', email);
    const refused = await third.browser.open(third.path, { 'X-Forwarded-For': '203.0.113.2' });
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '43190']);
    expect(refused.text).to.include('Too many new accounts').and.include('Try again in 12 hours');
    expect(await service.parts.accounts.findByEmail(email)).to.equal(null);
    const elsewhere = await third.browser.open(third.path, { 'X-Forwarded-For': '198.51.100.1' });
    expect(elsewhere.status).to.equal(200);
    const known = await ask('203.0.113.3', await holder());
    const home = await known.browser.open(known.path, { 'X-Forwarded-For': '203.0.113.3' });
    expect(home.text).to.include('You have no keys yet');
  });

  it('create a limited number of accounts a day with a provider; users with an account still sign in', async () => {
    const known = await holder();
    for (let i = 0; i < 2; i += 1) {
      expect((await signInWithProvider(`203.0.113.${i}`, newEmail())).text).to.include(
        'You have no keys yet',
      );
    }
    const refused = await signInWithProvider('203.0.113.3', newEmail());
    expect([refused.status, refused.text.includes('Too many new accounts')]).to.deep.equal([429, true]);
    expect((await signInWithProvider('203.0.113.3', known)).text).to.include('You have no keys yet');
    expect((await signInWithProvider('203.0.114.3', newEmail())).text).to.include('You have no keys yet');
  });
});
