import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { SUBSCRIPTION_STATES, type SubscriptionState } from '../../../src/domain/billing/subscription.js';
import { revokeKey } from '../../../src/domain/keys/account-keys.js';
import { whyNotIssue, whyNotRotate } from '../../../src/domain/keys/allowance.js';
import { type ApiKey, GRACE, type KeyId } from '../../../src/domain/keys/api-key.js';
import { SUSPENSION_CAUSES, type SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { accepted, auditContext, openInvoice } from '../../support/objects/builders.js';
import {
  type Composed,
  composed,
  keyHolder,
  requestNews,
  rewrite,
  START,
} from '../../support/service/composed.js';
import { operatorOf, type PageAnswer, type Visitor, visitorOf } from '../../support/service/visitor.js';

const CAUSING_EVENT = {
  payment_failure: 'payment_failed',
  abuse: 'abuse_detected',
  manual_hold: 'held',
} as const;

const INVOICE = openInvoice({ firstFailedAt: START });

/** One state of a subscription: everything that determines the answer to its keys. */
type Scenario = {
  readonly state: SubscriptionState;
  readonly causes: readonly SuspensionCause[];
  readonly hasOpenInvoice: boolean;
};

const subsets = <T>([first, ...others]: readonly T[]): readonly (readonly T[])[] =>
  first === undefined ? [[]] : subsets(others).flatMap((set) => [set, [first, ...set]]);

/** A canceled subscription has no open invoice. A payment failure exists only while an invoice is open. */
const exists = ({ state, causes, hasOpenInvoice }: Scenario): boolean =>
  state === 'canceled'
    ? !hasOpenInvoice && !causes.includes('payment_failure')
    : hasOpenInvoice || !causes.includes('payment_failure');

const SCENARIOS = SUBSCRIPTION_STATES.flatMap((state) =>
  subsets(SUSPENSION_CAUSES).flatMap((causes) =>
    [false, true].map((hasOpenInvoice): Scenario => ({ state, causes, hasOpenInvoice })),
  ),
).filter(exists);

const nameOf = ({ state, causes, hasOpenInvoice }: Scenario): string =>
  [state, ...causes, ...(hasOpenInvoice ? ['an open invoice'] : [])].join(', ');

/** The account in that state, reached through the rules of the domain. */
function inScenario(start: Account, { state, causes, hasOpenInvoice }: Scenario): Account {
  const applied = causes.reduce(
    (account, cause) => applyToSubscription(account, CAUSING_EVENT[cause], auditContext(START)).next,
    start,
  );
  const dunning = hasOpenInvoice ? [INVOICE] : [];
  if (state === 'canceled') return cancelSubscription({ ...applied, dunning }, auditContext(START)).next;
  return { ...applied, dunning, subscription: { ...applied.subscription, state } };
}

/** The text of the banner; null if there is none. Without its link, which the linked page itself does not have. */
const bannerOf = ({ html }: PageAnswer): string | null =>
  /<div id="access"[^>]*>(.*?)<\/div>/s
    .exec(html)?.[1]
    ?.replace(/<p class="actions">.*?<\/p>/s, '')
    .replace(/<[^>]+>/g, ' ') ?? null;

const statusesIn = (text: string): readonly number[] => [
  ...new Set([...text.matchAll(/\b40[12]\b/g)].map(([status]) => Number(status))),
];

/** The badge of a key on the Keys page. */
const badgeOf = ({ html }: PageAnswer, { prefix }: ApiKey): string =>
  html
    .split('<tr>')
    .find((row) => row.startsWith('<th') && row.includes(`<code>${prefix}…</code>`))
    ?.match(/<span class="badge[^"]*">([^<]*)</)?.[1] ?? '';

/** The badge beside the heading of a page. */
function headingBadge(page: PageAnswer | undefined): { readonly kind: string; readonly text: string } {
  const found = /<h1>[^<]*<\/h1><span class="badge (\w+)">([^<]*)</.exec(page?.html ?? '');
  return { kind: found?.[1] ?? '', text: found?.[2] ?? '' };
}

const hasForm = ({ html }: PageAnswer, action: string): boolean =>
  html.includes(`<form method="post" action="${action}"`);

describe('The pages of an account', () => {
  let service: Composed;
  let visitor: Visitor;
  let base: Account;
  /** Keys by name, each in a different state. */
  const keys = new Map<string, { readonly id: KeyId; readonly value: string }>();
  before(async () => {
    service = await composed();
    const { account, key, value } = await keyHolder(service);
    keys.set('active', { id: key.id, value });
    const issue = async (name: string) => {
      const issued = accepted(await service.parts.issueKey(account, null, 'test'));
      keys.set(name, { id: issued.key.id, value: issued.value });
      return issued.key.id;
    };
    const rotate = async (name: string, id: KeyId) => {
      const issued = accepted(await service.parts.rotateKey(id, null, 'test'));
      keys.set(name, { id: issued.key.id, value: issued.value });
    };
    const [held, revoked, grace, overlapping] = [
      await issue('held'),
      await issue('revoked'),
      await issue('in grace'),
      await issue('overlapping'),
    ];
    await service.parts.hold.onKey(held, 'held', 'a test' as Reason, 'operator');
    await service.parts.revokeKey(revoked, 'manual', null, 'test');
    await rotate('successor of the one in grace', grace);
    await rotate('successor', overlapping);
    await service.parts.revokeKey(grace, 'rotation', null, 'test');
    const found = await service.parts.accounts.find(account);
    if (found === null) throw new Error('the account is gone');
    base = found;
    visitor = await visitorOf(service, account);
  });
  after(() => service.stop());

  const key = (account: Account, name: string): ApiKey => {
    const found = account.keys.find(({ id }) => id === keys.get(name)?.id);
    if (found === undefined) throw new Error(`no key is ${name}`);
    return found;
  };
  const answer = async (name: string) => (await requestNews(service, keys.get(name)?.value ?? '')).status;
  const become = async (scenario: Scenario) => {
    const account = inScenario(base, scenario);
    await rewrite(service, base.id, () => account);
    return account;
  };
  const PAGES = ['keys', 'usage', 'feed', 'subscription'].map((name) => `/dashboard/${name}`);

  for (const scenario of SCENARIOS) {
    describe(`with a subscription that is ${nameOf(scenario)}`, () => {
      let account: Account;
      let pages: readonly PageAnswer[];
      let isServed: boolean;
      before(async () => {
        account = await become(scenario);
        pages = [];
        const rotation = `/dashboard/keys/${key(account, 'overlapping').id}/rotation`;
        for (const path of [...PAGES, rotation]) pages = [...pages, await visitor.open(path)];
        isServed = (await answer('active')) === 200;
      });
      /** Without the usage page, which says what to do about earlier refusals. */
      const all = () =>
        pages.flatMap(({ text }, i) => (PAGES[i] === '/dashboard/usage' ? [] : [text])).join(' ');

      it('every page has the same banner, with the status code of the API', async () => {
        const banners = new Set(pages.map(bannerOf));
        expect(banners.size).to.equal(1);
        const [banner = null] = banners;
        const held = await answer('held');
        const named = isServed ? [held] : [await answer('active')];
        expect(statusesIn(banner ?? '')).to.deep.equal(named);
        expect(/open invoice/.test(banner ?? '')).to.equal(scenario.hasOpenInvoice);
        if (!isServed || scenario.hasOpenInvoice)
          expect(banner).to.match(/Contact|[Pp]ay|Resume|Complete|Check/);
      });

      it('the Keys page shows for each key the status code of the API', async () => {
        const [list] = pages;
        for (const name of keys.keys()) {
          const status = await answer(name);
          const badge = list === undefined ? '' : badgeOf(list, key(account, name));
          expect(badge, name).not.to.equal('');
          expect(statusesIn(badge), `${name}: ${badge}`).to.deep.equal(status === 200 ? [] : [status]);
        }
      });

      it('the pages ask to pay open invoices only if there are any, and the Plan page names the causes of a suspension', () => {
        expect(/open invoice/i.test(all())).to.equal(scenario.hasOpenInvoice);
        const [, , feed, subscription] = pages;
        expect(/^Pro · (\w+, )?suspended: /i.test(headingBadge(subscription).text)).to.equal(
          scenario.causes.length > 0,
        );
        expect(feed?.status).to.equal(isServed ? 200 : 402);
      });

      it('the badge of the Plan page is green if requests are served and nothing is owed, amber if dunning runs, else red', () => {
        const served = scenario.hasOpenInvoice ? 'warning' : 'good';
        expect(headingBadge(pages[3]).kind).to.equal(isServed ? served : 'bad');
      });

      it('no page has a form for an action that is refused', async () => {
        const [list, , feed] = pages;
        if (list === undefined || feed === undefined) throw new Error('no page');
        const mayIssue = whyNotIssue(account, PLANS.pro, START) === null;
        expect(hasForm(list, '/dashboard/keys')).to.equal(mayIssue);
        expect(feed.html.includes('action="/dashboard/feed"')).to.equal(isServed);
        for (const name of keys.keys()) {
          const one = key(account, name);
          const path = `/dashboard/keys/${one.id}`;
          const page = await visitor.open(`${path}/rotation`);
          const mayRotate = whyNotRotate(account, one, START) === null;
          expect(hasForm(page, `${path}/rotation`), `rotation of ${name}`).to.equal(mayRotate);
          const retired = revokeKey(account, one.id, 'rotation', auditContext(START));
          if (isRefusal(retired)) expect(hasForm(page, `${path}/retirement`), name).to.equal(false);
          if (hasForm(page, `${path}/retirement`))
            expect(page.text.includes('The old key works for'), name).to.equal((await answer(name)) === 200);
        }
      });
    });
  }

  it('say that revoked keys stay revoked while the next subscription is not served yet', async () => {
    const ended = inScenario(base, { state: 'canceled', causes: [], hasOpenInvoice: false });
    const subscription = { ...ended.subscription, state: 'incomplete' as const };
    await rewrite(service, base.id, () => ({ ...ended, subscription }));
    const banner = bannerOf(await visitor.open('/dashboard/keys')) ?? '';
    expect(statusesIn(banner)).to.deep.equal([await answer('active')]);
    expect(banner).to.include('first payment').and.include('stay revoked').and.not.include('work again');
    const console = await (await operatorOf(service)).open(`/operator/accounts/${base.id}`);
    expect(console.text).to.include('Requests return 401: all keys are revoked.');
  });

  it('show 401 for a key whose grace period is over, as the API answers', async () => {
    const account = await become({ state: 'active', causes: [], hasOpenInvoice: false });
    service.clock.at = plus(START, GRACE);
    const list = await visitor.open('/dashboard/keys');
    expect([await answer('in grace'), badgeOf(list, key(account, 'in grace'))]).to.deep.equal([
      401,
      'Revoked (401)',
    ]);
    service.clock.at = START;
  });

  it('explain how to subscribe again after a cancellation, without asking for a payment or offering a new key', async () => {
    await become({ state: 'canceled', causes: [], hasOpenInvoice: false });
    const page = await visitor.open('/dashboard/keys');
    expect(page.text).to.include('subscribe again').and.include('401');
    // The account keeps its customer at the payment processor, so no page leads to another checkout.
    expect((await visitor.open('/dashboard/subscription')).html).not.to.include('/subscription/checkout');
    expect(page.text).to.include('Contact us');
    // A random prefix of a key can hold the digits 402; the status stands alone.
    expect(page.text).not.to.match(/\b402\b|No key is lost|open invoice|Create key/);
    expect((await visitor.submit('/dashboard/keys', { seen: '' })).status).to.be.oneOf([402, 409]);
  });
});
