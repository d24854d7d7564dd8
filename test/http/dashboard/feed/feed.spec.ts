import { expect } from 'chai';
import { readFeed } from '../../../../src/application/feed/read-feed.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import type { Account } from '../../../../src/domain/accounts/account.js';
import {
  applyToSubscription,
  cancelSubscription,
} from '../../../../src/domain/billing/account-subscription.js';
import type { SubscriptionState } from '../../../../src/domain/billing/subscription.js';
import { MINUTE, plus } from '../../../../src/domain/moment.js';
import { accepted, auditContext } from '../../../support/objects/builders.js';
import {
  type Composed,
  composed,
  keyHolder,
  publish,
  requestNews,
  rewrite,
  START,
} from '../../../support/service/composed.js';
import { type Visitor, visitorOf } from '../../../support/service/visitor.js';

const FEED = '/dashboard/feed';
const HEADLINE = 'Talks resume';
/** Small enough to be exhausted by a test. */
const LIMITS = { RATE_LIMIT_FREE_MINUTE: '4', RATE_LIMIT_FREE_DAY: '6' };

const inState =
  (state: SubscriptionState) =>
  (account: Account): Account => ({ ...account, subscription: { ...account.subscription, state } });

describe('The feed page', () => {
  let service: Composed;
  /** Reading the feed throws this while it is set. */
  let fault: Error | null = null;
  before(async () => {
    service = await composed(LIMITS, (parts) => ({
      readFeed: () => {
        const read = readFeed({ feed: parts.feed });
        return async (query) => {
          if (fault !== null) throw fault;
          return read(query);
        };
      },
    }));
    await publish(service, 'ne_1');
  });
  after(() => service.stop());
  afterEach(() => {
    fault = null;
    service.clock.at = START;
  });

  const holder = async () => {
    const made = await keyHolder(service, 'free');
    return { ...made, visitor: await visitorOf(service, made.account) };
  };
  const opened = async (visitor: Visitor, times: number) => {
    const statuses = [];
    for (let i = 0; i < times; i += 1) statuses.push((await visitor.open(FEED)).status);
    return statuses;
  };
  const limitsShown = async (key: string) => (await requestNews(service, key)).headers['ratelimit'];

  it('takes one permit of the subscription per page view, and counts HEAD like GET (D34)', async () => {
    const { visitor, value } = await holder();
    expect((await visitor.open(FEED)).text).to.include(HEADLINE);
    expect((await visitor.openOnce(FEED, 'HEAD')).status).to.equal(200);
    expect(await limitsShown(value)).to.match(/^"minute";r=1;t=\d+, "day";r=3;t=\d+$/);
  });

  it('says that a page view counts as a request, and what remains', async () => {
    const { visitor } = await holder();
    expect((await visitor.open(FEED)).text).to.include(
      'Each page view counts as one request. Requests left: 3 of 4 this minute, 5 of 6 today.',
    );
    expect((await visitor.open(FEED)).text).to.include('2 of 4 this minute, 4 of 6 today.');
  });

  it('answers 429 with Retry-After if keys and pages have used all permits, and takes none (D33)', async () => {
    const { visitor, value } = await holder();
    for (const _ of [1, 2]) await requestNews(service, value);
    expect(await opened(visitor, 3)).to.deep.equal([200, 200, 429]);
    const refused = await visitor.open(FEED);
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '50']);
    expect(refused.text).to.include('limit').and.include('50 seconds').and.not.include(HEADLINE);
    expect(refused.text).to.include('Destinations').and.include('Sign out');
    service.clock.at = plus(START, MINUTE);
    expect(await opened(visitor, 3)).to.deep.equal([200, 200, 429]);
    expect((await visitor.open(FEED)).headers['retry-after']).to.equal(String(12 * 3_600 - 70));
  });

  it('answers 402 while the subscription is suspended or not served, and says how to restore access', async () => {
    const cases: readonly (readonly [as: (account: Account) => Account, text: string])[] = [
      [(account) => applyToSubscription(account, 'held', auditContext(START)).next, 'Contact us'],
      [(account) => applyToSubscription(account, 'abuse_detected', auditContext(START)).next, 'Contact us'],
      [(account) => applyToSubscription(account, 'payment_failed', auditContext(START)).next, 'payment'],
      [inState('unpaid'), 'payment'],
      [inState('paused'), 'Resume'],
      [inState('incomplete'), 'first payment'],
      [(account) => cancelSubscription(account, auditContext(START)).next, 'subscribe again'],
    ];
    for (const [as, text] of cases) {
      const { visitor, account, value } = await holder();
      await rewrite(service, account, as);
      const page = await visitor.open(FEED);
      expect([page.status, page.html.includes(HEADLINE)], text).to.deep.equal([402, false]);
      expect(page.text).to.include(text).and.include('Sign out');
      expect((await visitor.openOnce(FEED, 'HEAD')).status).to.equal(402);
      await rewrite(service, account, (now) => ({
        ...inState('active')(now),
        subscription: { ...now.subscription, state: 'active', suspension: { status: 'active' } },
      }));
      // A canceled subscription has only revoked keys, whose answers show no limits of a subscription.
      if (text !== 'subscribe again') expect(await limitsShown(value)).to.include('"minute";r=3;');
    }
  });

  it('is available to an account without keys, within the limits of its subscription', async () => {
    const identity = { email: 'no-key@feed.example', plan: 'free' as const, processorCustomerId: null };
    const { id } = accepted(await service.parts.openAccount(identity, 'test'));
    const visitor = await visitorOf(service, id);
    expect(await opened(visitor, 5)).to.deep.equal([200, 200, 200, 200, 429]);
    await rewrite(service, id, (account) => applyToSubscription(account, 'held', auditContext(START)).next);
    expect(await opened(visitor, 1)).to.deep.equal([402]);
  });

  it('takes no permit if the service fails before it asks the store, and one if the store fails (D34)', async () => {
    const { visitor, value } = await holder();
    fault = new Unavailable('the feed');
    expect(await opened(visitor, 2)).to.deep.equal([503, 503]);
    fault = new Error('a bug');
    expect(await opened(visitor, 2)).to.deep.equal([500, 500]);
    fault = null;
    expect(await limitsShown(value))
      .to.include('"minute";r=3;')
      .and.include('"day";r=5;');
    fault = new Unavailable('the feed', new Error('no answer in time'));
    expect(await opened(visitor, 1)).to.deep.equal([503]);
    fault = null;
    expect(await limitsShown(value)).to.include('"minute";r=1;');
  });

  it('admits exactly the remaining permits when pages and requests come at once (D35)', async () => {
    const { visitor, value } = await holder();
    const [pages, answers] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => visitor.openOnce(FEED))),
      Promise.all(Array.from({ length: 20 }, () => requestNews(service, value))),
    ]);
    const statuses = [...pages, ...answers].map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(4);
    expect(statuses.filter((status) => status === 429)).to.have.length(36);
  });
});
