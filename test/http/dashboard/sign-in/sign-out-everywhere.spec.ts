import { expect } from 'chai';
import type { AccountId } from '../../../../src/domain/accounts/account.js';
import { MINUTE, plus } from '../../../../src/domain/moment.js';
import { type Composed, composed } from '../../../support/service/composed.js';
import { operatorOf, Visitor } from '../../../support/service/visitor.js';

describe('Signing out everywhere', () => {
  let service: Composed;
  const mailed: { to: string; path: string }[] = [];
  before(async () => {
    service = await composed({}, () => ({
      mailSignInLink:
        () =>
        async (to, { url }) => {
          const { pathname, search } = new URL(url);
          mailed.push({ to, path: `${pathname}${search}` });
          return 'sent';
        },
    }));
  });
  after(() => service.stop());

  let people = 0;
  const someone = (): string => {
    people += 1;
    return `out-${people}@example.org`;
  };
  /** A browser that has asked for a link, and the path of that link. */
  const asked = async (email: string) => {
    const browser = new Visitor(service.url);
    await browser.submit('/dashboard/sign-in', { email });
    return { browser, path: mailed.findLast(({ to }) => to === email)?.path ?? expect.fail('no mail') };
  };
  const signedIn = async (email: string): Promise<Visitor> => {
    const { browser, path } = await asked(email);
    expect((await browser.open(path)).text).to.include('You have no key yet');
    return browser;
  };
  const accountOf = async (email: string): Promise<AccountId> =>
    (await service.parts.accounts.findByEmail(email))?.id ?? expect.fail('no account');

  const ways = {
    'the dashboard’s “Sign out everywhere”': async (email: string) => {
      const browser = await signedIn(email);
      return () => browser.submit('/dashboard/sign-out', { everywhere: 'yes' });
    },
    'the holder’s “Forget these and sign out everywhere”': async (email: string) => {
      const browser = await signedIn(email);
      return () => browser.submit('/dashboard/forget-sign-ins');
    },
    'the operator’s “End all sessions and forget identities”': async (email: string) => {
      await signedIn(email);
      const operator = await operatorOf(service);
      const path = `/operator/accounts/${await accountOf(email)}/acts/sign-out`;
      await operator.open(path);
      return () => operator.submit(path, { reason: 'a stolen mailbox' });
    },
  } as const;
  for (const [name, way] of Object.entries(ways)) {
    it(`by ${name} ends the links mailed before, in the browser that asked and in every other`, async () => {
      const email = someone();
      const signOut = await way(email);
      const [here, elsewhere] = [await asked(email), await asked(email)];
      const confirm = new Visitor(service.url);
      expect((await confirm.open(elsewhere.path)).text).to.include(`This link signs in as ${email}.`);
      expect((await signOut()).status).to.equal(200);
      const spent = await here.browser.open(here.path);
      expect(spent.status).to.equal(410);
      expect(spent.text).to.include('signed out everywhere');
      // Found before and confirmed after.
      const token = new URL(elsewhere.path, service.url).searchParams.get('token') ?? '';
      expect((await confirm.submit('/dashboard/sign-in/link', { token })).status).to.equal(410);
      expect(confirm.cookies.has('oddswire_session')).to.equal(false);
    });
  }

  it('leaves links alone that are mailed afterwards, and those of everybody else', async () => {
    const email = someone();
    const other = await asked(`plus+${email}`);
    const browser = await signedIn(email);
    await browser.submit('/dashboard/sign-out', { everywhere: 'yes' });
    await signedIn(email);
    expect((await other.browser.open(other.path)).status).to.equal(200);
  });

  it('of this browser alone leaves the links mailed before alone', async () => {
    const email = someone();
    const browser = await signedIn(email);
    const { browser: next, path } = await asked(email);
    service.clock.at = plus(service.clock.at, MINUTE);
    await browser.submit('/dashboard/sign-out');
    expect((await next.open(path)).status).to.equal(200);
  });
});
