// Longer than 300 lines: one tour of every page needs one service with the longest texts.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { destinationLinks } from '../../src/adapters/destinations/destination-links.js';
import type { Account, AccountId } from '../../src/domain/accounts/account.js';
import { applyToSubscription } from '../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent } from '../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../src/domain/keys/api-key.js';
import { STATUS_CLASSES, USAGE_RANGES } from '../../src/domain/limits/usage.js';
import { DAY, plus, startOfHour } from '../../src/domain/moment.js';
import { recordJoin } from '../../src/domain/sign-in/account-identities.js';
import { newPage } from '../support/browser/browser.js';
import { LONG_DISABLING, longDestination } from '../support/browser/long-destinations.js';
import {
  LONG_ID,
  LONG_INVOICE,
  LONG_ISSUER,
  LONG_LABEL,
  LONG_REASON,
  longEmail,
  longEvent,
  longItem,
  wide,
} from '../support/browser/longest-texts.js';
import { overflowOf } from '../support/browser/overflow.js';
import { accepted, auditContext } from '../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../support/objects/logged-requests.js';
import { type Composed, composed, rewrite, START } from '../support/service/composed.js';
import { ProviderInMemory } from '../support/service/sign-in.js';

const SETTINGS = {
  // The fifth feed page within a minute is refused.
  RATE_LIMIT_PRO_MINUTE: '4',
  ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' },
  OPERATOR_GROUP: 'operators',
};

/** Every page at 320, 375, 768 and 1440 px, with the longest texts that it can show. */
describe('With the longest texts, nothing overflows horizontally', function () {
  this.timeout(120_000);
  let service: Composed;
  let base: string;
  let fault: Error | null = null;
  const sentLinks: string[] = [];

  before(async () => {
    service = await composed(SETTINGS, ({ readLimits }) => {
      return {
        readLimits: () => (subscription) => {
          if (fault !== null) throw fault;
          return readLimits(subscription);
        },
        identityProviders: () => [Object.assign(new ProviderInMemory('oidc'), { name: wide(40) })],
        mailSignInLink:
          () =>
          async (_, { url }) => {
            sentLinks.push(new URL(url).search);
            return 'sent';
          },
        fakePayments: () => async () => [],
        advanceClock: () => async () => START,
        demoAccounts: () => () => [{ id: 'one', label: `Sign in as ${longEmail('demo')}` }],
        usage: () => ({ note: () => {}, of: async (keys) => keys.flatMap(muchUse) }),
      };
    });
    base = service.url.replace('127.0.0.1', 'localhost');
    accepted(
      (await service.parts.publishNews([longItem()], 'live'))[0] ?? { refused: 'not_found', what: '' },
    );
  });
  after(() => service.stop());

  const muchUse = (key: KeyId) =>
    STATUS_CLASSES.map((statusClass) => ({
      ...{ key, hour: startOfHour(START), statusClass, requests: 123_456_789_012 },
    }));

  /** A browser that checks each page it opens. */
  async function tour(cookies: Readonly<Record<string, string>> = {}) {
    const page = await newPage({ extraHTTPHeaders: { 'X-Request-Id': wide(128) } });
    await page
      .context()
      .addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: base })));
    const faults: string[] = [];
    const observe = async (name: string, status = 200, answered = 0) => {
      if (answered !== status) faults.push(`${name} answers ${answered}, not ${status}`);
      faults.push(...(await overflowOf(page)).map((one) => `${name}, ${one}`));
    };
    return {
      page,
      faults,
      open: async (path: string, status = 200) =>
        observe(path, status, (await page.goto(`${base}${path}`))?.status()),
      /** Runs an action that leads to another page, and checks that page. */
      leadTo: async (name: string, status: number, go: (page: Page) => Promise<unknown>) => {
        const [response] = await Promise.all([
          page.waitForResponse((one) => one.request().isNavigationRequest() && one.status() !== 303),
          go(page),
        ]);
        await page.waitForLoadState('load');
        await observe(name, status, response.status());
      },
    };
  }

  /** An account with keys in every possible state. */
  async function anAccount(name: string): Promise<{ id: AccountId; key: (state: string) => KeyId }> {
    const { parts } = service;
    const identity = {
      email: longEmail(name),
      plan: 'pro' as const,
      processorCustomerId: `cus_${name}${LONG_ID}`,
    };
    const { id } = accepted(await parts.openAccount(identity, LONG_REASON));
    const keys = new Map<string, KeyId>();
    const issue = async (state: string) =>
      void keys.set(state, accepted(await parts.issueKey(id, LONG_LABEL, LONG_REASON)).key.id);
    const key = (state: string) => keys.get(state) ?? ('none' as KeyId);
    for (const state of ['active', 'revoked', 'in grace', 'rotating']) await issue(state);
    accepted(await parts.revokeKey(key('revoked'), 'manual', LONG_REASON, LONG_REASON));
    for (const state of ['in grace', 'rotating']) accepted(await parts.rotateKey(key(state), null, 'test'));
    accepted(await parts.revokeKey(key('in grace'), 'rotation', LONG_REASON, LONG_REASON));
    await issue('held');
    await rewrite(
      service,
      id,
      (account) => accepted(applyOperatorEvent(account, key('held'), 'held', auditContext(START))).next,
    );
    const joined = { issuer: LONG_ISSUER, subject: id, joinedAt: START };
    await parts.identities.join(joined, id, (account) =>
      recordJoin(account, LONG_ISSUER, { actor: LONG_REASON, at: START }),
    );
    return { id, key };
  }

  const dunned = (account: Account): Account => ({ ...account, dunning: [LONG_INVOICE, LONG_INVOICE] });

  it('on the pages without a session', async () => {
    const { page, faults, open, leadTo } = await tour();
    await open('/dashboard/sign-in');
    await page.evaluate("document.querySelector('#email').type = 'text'");
    await page.evaluate("document.querySelector('#email').removeAttribute('maxlength')");
    await leadTo('an invalid address', 400, async () => {
      await page.fill('#email', wide(500));
      await page.click('text=Email me a sign-in link');
    });
    await leadTo('a link is sent', 200, async () => {
      await page.fill('#email', longEmail('visitor'));
      await page.click('text=Email me a sign-in link');
    });
    await page.context().clearCookies();
    await open(`/dashboard/sign-in/link${sentLinks.at(-1)}`);
    await open('/dashboard/sign-in/link?token=none', 410);
    const { id } = await anAccount('mailbox');
    const mailbox = await longDestination(service, id, 'email');
    const sealing = service.parts.sealing ?? expect.fail();
    const links = destinationLinks({ sealing, publicUrl: () => '' });
    await open(links.confirmUrl({ id: mailbox, address: longEmail('reader'), endsAt: plus(START, DAY) }));
    await open(links.unsubscribeUrl(mailbox));
    await open(`/dashboard/destinations/confirm?destination=${wide(300)}`, 404);
    await open('/dashboard/sign-in/oidc/callback?code=none', 403);
    await open(`/dashboard/${wide(300)}`, 404);
    await open(`/dashboard/feed?${wide(4_097)}`, 414);
    await open('/operator/sign-in');
    await leadTo('a wrong token', 403, async () => {
      await page.fill('#token', wide(300));
      await page.click('button:text("Sign in")');
    });
    expect(faults).to.deep.equal([]);
  });

  it('on the pages of customers', async () => {
    const { id, key } = await anAccount('holder');
    const { secret } = await service.parts.startSession({ kind: 'account', account: id }, null);
    const { page, faults, open, leadTo } = await tour({ oddswire_session: secret });
    await open('/dashboard/keys');
    await open('/dashboard/keys?said=key_revoked');
    for (const state of ['active', 'rotating', 'in grace', 'held'])
      await open(`/dashboard/keys/${key(state)}/rotation`);
    await open(`/dashboard/keys/${key('active')}/revocation`);
    await open(`/dashboard/keys/${key('active')}/first-request`);
    for (const state of ['active', 'rotating', 'in grace', 'held', 'revoked'])
      await open(`/dashboard/keys/${key(state)}`);
    await page.goto(`${base}/dashboard/keys/${key('active')}`);
    await leadTo('settings that are not valid', 400, async () => {
      await page.fill('#addresses', Array.from({ length: 30 }, () => wide(200)).join('\n'));
      await page.click('text=Save changes');
    });
    await leadTo('settings with long values', 200, async () => {
      await page.fill(
        '#addresses',
        Array.from({ length: 20 }, (_, i) => `2001:db8:1111:2222:3333:4444:5555:${i + 1000}`).join('\n'),
      );
      await page.fill('#per_day', '1000000');
      await page.click('text=Save changes');
    });
    await page.goto(`${base}/dashboard/keys`);
    await leadTo('a new key that is not valid', 400, async () => {
      await page.click('text=Expiry and allowed addresses');
      await page.fill('#addresses', wide(200));
      await page.click('text=Create key');
    });
    await page.goto(`${base}/dashboard/keys/${key('active')}/rotation`);
    await leadTo('a new key', 201, () => page.click('text=Create new key'));
    await service.parts.requestLogs.add([
      loggedRequest({ key: key('active'), at: START, query: wide(500), requestId: wide(128) }),
      failedRequest({
        key: key('active'),
        at: START,
        path: `/${wide(300)}`,
        code: 'subscription_incomplete',
      }),
    ]);
    for (const range of USAGE_RANGES) await open(`/dashboard/usage?range=${range}`);
    await open('/dashboard/usage/log?code=subscription_incomplete');
    await open(`/dashboard/usage?key=${key('active')}`);
    await open('/dashboard/feed');
    await open(`/dashboard/feed?market=${wide(200)}`);
    await open('/dashboard/markets');
    await open(`/dashboard/feed?market=${wide(300)}&cursor=${wide(300)}`);
    await page.goto(`${base}/dashboard/feed`);
    await open(`/dashboard/feed?market=${wide(300)}`, 429);
    const webhook = await longDestination(service, id, 'webhook', LONG_DISABLING);
    const others = [await longDestination(service, id, 'email'), await longDestination(service, id, 'feed')];
    await open(`/dashboard/destinations?filter=${wide(500)}`);
    for (const one of [webhook, ...others]) await open(`/dashboard/destinations/${one}`);
    await open(`/dashboard/destinations/${webhook}/removal`);
    await page.goto(`${base}/dashboard/destinations`);
    await leadTo('an invalid destination', 400, async () => {
      await page.click('text=Add a destination');
      await page.fill('#label', LONG_LABEL);
      await page.fill('#address', wide(2_100));
      await page.fill('#filter', `${wide(500)}=1`);
      await page.click('text=Create destination');
    });
    await page.goto(`${base}/dashboard/destinations`);
    await leadTo('a new feed', 201, async () => {
      await page.click('text=Add a destination');
      await page.fill('#label', LONG_LABEL);
      await page.check('#kind-email');
      expect(await page.getByLabel('Email address').getAttribute('id')).to.equal('address');
      expect(await page.innerText('#address-note')).to.match(/^Email: /);
      await page.check('#kind-feed');
      expect(await page.isVisible('#address')).to.equal(false);
      await page.click('text=Create destination');
    });
    await page.goto(`${base}/dashboard/destinations/${webhook}`);
    await leadTo('a new secret', 201, () => page.click('text=Rotate secret'));
    await open('/dashboard/subscription');
    await open('/dashboard/sign-out/everywhere');
    await open('/dashboard/keys/none/rotation', 404);
    await open('/dashboard/sign-out', 405);
    fault = new Error('a bug');
    await open('/dashboard/subscription', 500);
    fault = null;
    await rewrite(service, id, dunned);
    await open('/dashboard/subscription');
    await rewrite(service, id, (account) =>
      (['payment_failed', 'abuse_detected', 'held'] as const).reduce<Account>(
        (current, event) => applyToSubscription(current, event, auditContext(START)).next,
        { ...account, subscription: { ...account.subscription, state: 'unpaid' } },
      ),
    );
    for (const path of ['keys', 'subscription', 'usage']) await open(`/dashboard/${path}`);
    await open('/dashboard/feed', 402);
    expect(faults).to.deep.equal([]);
  });

  it('on the pages of operators', async () => {
    const { id, key } = await anAccount('one');
    const other = await anAccount('other');
    await rewrite(service, id, dunned);
    const prefix = (await service.parts.accounts.find(id))?.keys[0]?.prefix ?? '';
    await rewrite(service, other.id, (account) => ({
      ...account,
      keys: account.keys.map((one) => ({ ...one, prefix })),
    }));
    const events = service.parts.paymentEvents;
    await events.receive(longEvent(1, wide(500)));
    await events.receive(longEvent(2, null));
    await events.receive({ ...longEvent(3, wide(500)), link: { account: id, refusal: null } });
    const holder = {
      kind: 'operator',
      name: `operator ${longEmail('op')}`,
      by: { group: 'operators' },
    } as const;
    const { secret } = await service.parts.startSession(holder, null);
    const { page, faults, open, leadTo } = await tour({ oddswire_operator: secret });
    const tooLongAReason = () =>
      leadTo('a reason that is too long', 400, async () => {
        await page.evaluate("document.querySelector('#reason').removeAttribute('maxlength')");
        await page.fill('#reason', wide(600));
        await page.click('main button');
      });
    await open('/operator');
    await leadTo('several accounts', 200, async () => {
      await page.fill('#q', prefix);
      await page.click('button:text("Search")');
    });
    await leadTo('no account', 404, async () => {
      await page.fill('#q', wide(300));
      await page.click('button:text("Search")');
    });
    const home = `/operator/accounts/${id}`;
    await open(home);
    for (const tab of ['keys', 'usage', 'requests', 'payments', 'destinations', 'audit'])
      await open(`${home}/${tab}`);
    await open(`${home}/acts/hold`);
    await open(`${home}/keys/${key('active')}/acts/revoke`);
    await tooLongAReason();
    await page.goto(`${base}${home}/acts/hold`);
    await page.fill('#reason', LONG_REASON);
    await leadTo('held', 200, () => page.click('main button'));
    for (const path of ['plan?to=free', 'new-key', `keys/${key('active')}/rotation`])
      await open(`${home}/${path}`);
    const item = `/operator/items/${encodeURIComponent(longItem().news_event.id)}`;
    for (const path of ['', '/retraction', '/correction']) await open(`${item}${path}`);
    // Its texts are longer than a publication may have.
    await leadTo('the faults of an item', 400, () => page.click('button:text("Show differences")'));
    for (const name of ['new-account', 'ingestion', 'plans?plan=pro&keys=1&day=1'])
      await open(`/operator/${name}`);
    await open('/operator/payment-events');
    await open(`/operator/payment-events/${encodeURIComponent(longEvent(1, null).id)}`);
    await tooLongAReason();
    await open('/operator/purges');
    const destination = await longDestination(service, id, 'webhook', LONG_DISABLING);
    await open('/operator/destinations');
    await open(home);
    await open(`/operator/destinations/${destination}/acts/enable`, 200);
    const feed = await longDestination(service, id, 'feed');
    await open(`/operator/destinations/${feed}/acts/disable`);
    await open(`/operator/${wide(300)}`, 404);
    await open('/operator/sign-out', 405);
    expect(faults).to.deep.equal([]);
  });
});
