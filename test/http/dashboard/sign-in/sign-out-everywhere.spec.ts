import { expect } from 'chai';
import type { AccountId } from '../../../../src/domain/accounts/account.js';
import { MINUTE, plus } from '../../../../src/domain/moment.js';
import { type Composed, composed } from '../../../support/service/composed.js';
import { operatorOf, Visitor } from '../../../support/service/visitor.js';

describe('Signing out everywhere', () => {
  let service: Composed;
  const sentLinks: { to: string; path: string }[] = [];
  before(async () => {
    service = await composed({}, () => ({
      mailSignInLink:
        () =>
        async (to, { url }) => {
          const { pathname, search } = new URL(url);
          sentLinks.push({ to, path: `${pathname}${search}` });
          return 'sent';
        },
    }));
  });
  after(() => service.stop());

  let people = 0;
  const newEmail = (): string => {
    people += 1;
    return `out-${people}@example.org`;
  };
  /** A browser that has requested a link, and the path of that link. */
  const asked = async (email: string) => {
    const browser = new Visitor(service.url);
    await browser.submit('/dashboard/sign-in', { email });
    return { browser, path: sentLinks.findLast(({ to }) => to === email)?.path ?? expect.fail('no mail') };
  };
  const signedIn = async (email: string): Promise<Visitor> => {
    const { browser, path } = await asked(email);
    expect((await browser.open(path)).text).to.include('You have no keys yet');
    return browser;
  };
  const accountOf = async (email: string): Promise<AccountId> =>
    (await service.parts.accounts.findByEmail(email))?.id ?? expect.fail('no account');

  const signOutActions = {
    '“Sign out everywhere” of the dashboard': async (email: string) => {
      const browser = await signedIn(email);
      return () => browser.submit('/dashboard/sign-out', { everywhere: 'yes' });
    },
    '“Disconnect all and sign out everywhere” of the customer': async (email: string) => {
      const browser = await signedIn(email);
      return () => browser.submit('/dashboard/forget-sign-ins');
    },
    '“Sign out everywhere and disconnect providers” of the operator': async (email: string) => {
      await signedIn(email);
      const operator = await operatorOf(service);
      const path = `/operator/accounts/${await accountOf(email)}/acts/sign-out`;
      await operator.open(path);
      return () => operator.submit(path, { reason: 'a stolen mailbox' });
    },
  } as const;
  for (const [name, action] of Object.entries(signOutActions)) {
    it(`by ${name} invalidates earlier links, in the browser that requested them and in any other`, async () => {
      const email = newEmail();
      const signOut = await action(email);
      const [here, elsewhere] = [await asked(email), await asked(email)];
      const confirm = new Visitor(service.url);
      expect((await confirm.open(elsewhere.path)).text).to.include(`This link signs you in as ${email}.`);
      expect((await signOut()).status).to.equal(200);
      const spent = await here.browser.open(here.path);
      expect(spent.status).to.equal(410);
      expect(spent.text).to.include('after you sign out everywhere');
      // The link was opened before the sign-out and confirmed after it.
      const token = new URL(elsewhere.path, service.url).searchParams.get('token') ?? '';
      expect((await confirm.submit('/dashboard/sign-in/link', { token })).status).to.equal(410);
      expect(confirm.cookies.has('oddswire_session')).to.equal(false);
    });
  }

  it('leaves later links and the links of other users valid', async () => {
    const email = newEmail();
    const other = await asked(`plus+${email}`);
    const browser = await signedIn(email);
    await browser.submit('/dashboard/sign-out', { everywhere: 'yes' });
    await signedIn(email);
    expect((await other.browser.open(other.path)).status).to.equal(200);
  });

  it('in this browser only leaves earlier links valid', async () => {
    const email = newEmail();
    const browser = await signedIn(email);
    const { browser: next, path } = await asked(email);
    service.clock.at = plus(service.clock.at, MINUTE);
    await browser.submit('/dashboard/sign-out');
    expect((await next.open(path)).status).to.equal(200);
  });
});
