import { expect } from 'chai';
import { unique } from '../../support/service/api-calls.js';
import type { Visitor } from '../../support/service/visitor.js';
import { until } from '../../support/until.js';
import {
  askForLink,
  bothWays,
  browserAt,
  freshAddress,
  type RunningVersions,
  sameAnswer,
  type Version,
} from './two-versions.js';

type View = {
  readonly account_id: string;
  readonly audit: readonly { readonly event: string; readonly reason: string | null }[];
};

const OPERATOR_TOKEN = 'operator-token-of-the-tests';

const useInstance = (browser: Visitor, { instance }: Version) => browser.useInstance(instance.url);

/** Another browser with the same cookies. */
function copyOf(browser: Visitor, version: Version): Visitor {
  const copy = browserAt(version);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

/** The account with this address, as both versions find it. */
const accountOf = async (writer: Version, reader: Version, email: string): Promise<View> =>
  sameAnswer<View>(writer, reader, `/accounts?email=${email}`);

export function signInSuite(versions: RunningVersions): void {
  describe('of people who sign in:', () => {
    links(versions);
    sessions(versions);
    providers(versions);
  });
}

function links(versions: RunningVersions): void {
  bothWays(
    versions,
    'a sign-in link, its session and its end everywhere',
    async (writer, reader, { mail }) => {
      const email = `${unique()}@example.org`;
      const browser = browserAt(writer);
      const path = await askForLink(browser, mail, email);
      useInstance(browser, reader);
      // Without a click: the reader knows the browser that asked.
      expect((await browser.open(path)).text).to.include(email);
      expect(browser.cookies.has('oddswire_session')).to.equal(true);
      expect((await copyOf(browser, writer).open('/dashboard/keys')).text).to.include(email);
      const spent = await copyOf(browser, writer).open(path);
      expect(spent.status).to.equal(410);

      useInstance(browser, writer);
      const unused = await askForLink(browserAt(writer), mail, email);
      await browser.open('/dashboard/keys');
      useInstance(browser, reader);
      const old = copyOf(browser, writer);
      expect((await browser.submit('/dashboard/sign-out', { everywhere: 'yes' })).status).to.equal(200);
      expect((await old.openOnce('/dashboard/keys')).status).to.equal(303);
      for (const version of [writer, reader])
        expect((await browserAt(version).open(unused)).status).to.equal(410);
    },
  );

  bothWays(versions, 'a sign-in link, opened in another browser', async (writer, reader, { mail }) => {
    const email = `${unique()}@example.org`;
    const path = await askForLink(browserAt(writer), mail, email);
    const browser = browserAt(reader);
    expect((await browser.open(path)).text).to.include(email);
    expect(browser.cookies.has('oddswire_session')).to.equal(false);
    const token = new URL(path, reader.instance.url).searchParams.get('token') ?? '';
    expect((await browser.submit('/dashboard/sign-in/link', { token })).text).to.include(email);
    expect(browser.cookies.has('oddswire_session')).to.equal(true);
  });
}

function sessions(versions: RunningVersions): void {
  bothWays(
    versions,
    'a session, the keys of its holder and their usage',
    async (writer, reader, { mail }) => {
      const browser = browserAt(writer);
      await browser.open(await askForLink(browser, mail, `${unique()}@example.org`));
      const made = await browser.submit('/dashboard/keys', { label: 'mine', seen: browser.seen });
      const [key = ''] = /svc_[\w-]{43}/.exec(made.html) ?? [];
      for (let n = 0; n < 3; n += 1) {
        const reply = await writer.client.news(key, '?limit=1', freshAddress());
        expect(reply.status).to.equal(200);
      }
      expect((await reader.client.news(key, '?limit=0', freshAddress())).status).to.equal(400);
      // Each version stores its own counts when it shows them.
      const counts = new RegExp(`${key.slice(0, 12)}\\D*3 0 1 0 4`);
      const isShown = async (version: Version) =>
        counts.test((await copyOf(browser, version).open('/dashboard/usage')).text);
      await until(true, async () => (await isShown(writer)) || isShown(reader));
      await until([true, true], async () => [await isShown(reader), await isShown(writer)]);
      useInstance(browser, reader);
      expect((await browser.open('/dashboard/keys')).text)
        .to.include('mine')
        .and.include(key.slice(0, 12));
      await browser.submit('/dashboard/sign-out');
      expect((await copyOf(browser, writer).openOnce('/dashboard/keys')).status).to.equal(303);
    },
  );

  bothWays(versions, 'the session of an operator', async (writer, reader) => {
    const browser = browserAt(writer);
    await browser.open('/operator/sign-in');
    expect((await browser.submit('/operator/sign-in', { token: OPERATOR_TOKEN })).status).to.equal(200);
    useInstance(browser, reader);
    expect((await browser.openOnce('/operator')).status).to.equal(200);
    const old = copyOf(browser, writer);
    await browser.submit('/operator/sign-out', { everywhere: 'yes' });
    expect((await old.openOnce('/operator')).status).to.equal(303);
  });
}

function providers(versions: RunningVersions): void {
  bothWays(versions, 'a sign-in with a provider, begun and completed', async (writer, reader, { openId }) => {
    const [name, email] = [unique(), `${unique()}@example.org`];
    openId.people.set(name, { email, email_verified: true });
    /** Leaves for the provider from one version, and comes back to the other one. */
    const signIn = async (from: Version, to: Version) => {
      const browser = browserAt(from);
      const left = await browser.openOnce('/dashboard/sign-in/oidc');
      const { pathname, search } = new URL(await openId.answer(left.headers['location'] ?? '', name));
      useInstance(browser, to);
      return browser.open(`${pathname}${search}`);
    };
    expect((await signIn(writer, reader)).text).to.include(email);
    const { account_id, audit } = await accountOf(writer, reader, email);
    expect(audit.map(({ event, reason }) => [event, reason])).to.deep.include([
      'identity_joined',
      new URL(openId.issuer).host,
    ]);

    // By the identity alone: the provider names another address now.
    openId.people.set(name, { email: `${unique()}@example.org`, email_verified: true });
    expect((await signIn(reader, writer)).text).to.include(email);
    expect((await accountOf(writer, reader, email)).account_id).to.equal(account_id);
  });
}
