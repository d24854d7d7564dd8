import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { applyPaymentEvent } from '../../../src/application/billing/apply-payment-event.js';
import type { DecideDeletion } from '../../../src/application/ports/accounts/account-deletions.js';
import type { PaymentInbox, ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { Stores } from '../../../src/application/ports/stores.js';
import { NotNow } from '../../../src/application/unavailable.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { deleteAccount, isDeleted } from '../../../src/domain/accounts/account-deletion.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import { linkCustomer } from '../../../src/domain/billing/account-customer.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey } from '../../../src/domain/keys/account-keys.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import { recordJoin, recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import { startSession } from '../../../src/domain/sign-in/session.js';
import { linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { loggedRequest } from '../../support/objects/logged-requests.js';
import { receivedEvent } from '../../support/objects/received-events.js';
import { aFreshKey, anOpening } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const ROUNDS = 10;
const LATER = plus(NOON, MINUTE);
const apply = applyPaymentEvent({ schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' }, NOON);
const decide: DecideDeletion = (account, unapplied) =>
  deleteAccount(account, unapplied, { actor: 'operator', at: LATER });
const aHash = () => `hash_${randomUUID()}` as SecretHash;

/** An event that is stored and ignored. */
const unused = (more: Partial<ReceivedEvent> = {}) => receivedEvent({ fact: null, ...more });
/** An event whose content is not known. */
const unreadable = ({ customer }: Pick<ReceivedEvent, 'customer'>) =>
  receivedEvent({ customer, fact: null, fault: 'data is not an object' });
const payloadOf = async (inbox: PaymentInbox, { id }: ReceivedEvent) =>
  (await inbox.find(id))?.payload.toString('utf8');

/** An account of a customer, with a labelled key, an audit reason, an identity, a session and an emailed link. */
async function aPerson(
  { accounts, identities, sessions, oneTimeTokens, requestLogs }: Stores,
  { isLinked } = { isLinked: true },
) {
  const customer = `cus_${randomUUID()}`;
  const parts = isLinked ? { processorCustomerId: customer } : {};
  const { id, email } = accepted(await accounts.open(anOpening('pro', parts)));
  const fresh = { ...aFreshKey(), label: 'laptop' as Label };
  await accounts.change(id, (found) => issueKey(found, fresh, PLANS.pro, auditContext()));
  await accounts.change(id, (found) =>
    applyToSubscription(found, 'held', auditContext(NOON, 'operator', 'a phone call')),
  );
  const identity = { issuer: 'https://id.example', subject: randomUUID(), joinedAt: NOON };
  await identities.join(identity, id, (found) => recordJoin(found, identity.issuer, auditContext()));
  const [session, link] = [aHash(), aHash()];
  await sessions.start(session, startSession({ kind: 'account', account: id }, NOON));
  await oneTimeTokens.keep(link, linkToken(email as EmailAddress, aHash(), NOON));
  await requestLogs.add([loggedRequest({ key: fresh.id })]);
  return { id, email, customer, key: fresh, identity, session, link };
}

eachAdapter('AccountDeletions', contracts.accountDeletions, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('replace the account, under its id and its customer', async () => {
    const [one, other] = await pair();
    const { id, email, customer, key } = await aPerson(one);
    const deleted = accepted(await one.accountDeletions.delete(id, LATER, decide));
    expect(deleted).to.include({ id, email: `deleted-${id}`, processorCustomerId: customer });
    expect(await other.accounts.find(id)).to.deep.equal(deleted);
    expect(await other.accounts.findByEmail(email)).to.equal(null);
    expect(await other.accounts.findByKey(key.id)).to.deep.equal(deleted);
    expect((await other.gate.find(key.hash))?.key.state.status).to.equal('revoked');
    const opened = accepted(await other.accounts.open(anOpening('free', { email })));
    expect(await one.accounts.findByEmail(email)).to.deep.equal(opened);
  });

  it('keep the audit log without reasons', async () => {
    const [one, other] = await pair();
    const { id } = await aPerson(one);
    const before = await one.accounts.auditOf(id);
    expect(before.map(({ reason }) => reason)).to.include('a phone call');
    await other.accountDeletions.delete(id, LATER, decide);
    const deletion = { actor: 'operator', at: LATER, reason: null, event: 'deleted', key: null };
    expect(await one.accounts.auditOf(id)).to.deep.equal([
      ...before.map((entry) => ({ ...entry, reason: null })),
      deletion,
    ]);
  });

  it('delete identities, sessions, emailed links, logged requests and notices of this account, and cause no notice', async () => {
    const [one, other] = await pair();
    const [person, neighbour] = [await aPerson(one), await aPerson(one)];
    await other.accountDeletions.delete(person.id, LATER, decide);
    const left = async ({ identity, session, link, key }: typeof person) => [
      await one.identities.accountOf(identity),
      (await one.sessions.find(session)) !== null,
      (await one.oneTimeTokens.find(link)) !== null,
      (await one.requestLogs.of([key.id], NOON)).length,
    ];
    expect(await left(person)).to.deep.equal([null, false, false, 0]);
    expect(await left(neighbour)).to.deep.equal([neighbour.id, true, true, 1]);
    const queued = await one.outbox.claim(plus(NOON, 10 * MINUTE), 1_000);
    const recipients = new Set(queued.map(({ notice }) => notice.to));
    expect(recipients.has(neighbour.email)).to.equal(true);
    for (const to of recipients) expect(to).not.to.be.oneOf([person.email, `deleted-${person.id}`]);
  });

  it('delete the payloads of its payment events, those of its customer, and those that name it', async () => {
    const [one, other] = await pair();
    const { id, customer } = await aPerson(one);
    const [linked, stranger] = [await aPerson(one), unused()];
    const named = { account: id, refusal: null };
    const events = [
      receivedEvent({ customer, fact: null, link: named }),
      unused({ customer }),
      unreadable({ customer }),
      unused({ customer: null, payload: Buffer.from(`{"buyer":"${customer}"}`) }),
      receivedEvent({ fact: null, link: { account: id, refusal: 'expired' } }),
    ];
    const applied = receivedEvent({ customer: linked.customer, fact: null, link: named });
    for (const event of [...events, stranger, applied]) await one.inbox.receive(event, NOON, apply);
    await other.accountDeletions.delete(id, LATER, decide);
    for (const event of events) {
      const stored = await one.inbox.find(event.id);
      expect(stored?.payload.length, JSON.stringify(event)).to.equal(0);
      expect([stored?.fault, stored?.state]).to.deep.equal([
        null,
        event === events[0] ? 'applied' : 'ignored',
      ]);
    }
    for (const event of [stranger, applied])
      expect((await one.inbox.find(event.id))?.payload.length).to.equal(4);
  });

  it('make later events of the customer ignored, without a payload, and apply none', async () => {
    const [one, other] = await pair();
    const { id, customer } = await aPerson(one);
    const deleted = accepted(await one.accountDeletions.delete(id, LATER, decide));
    for (const event of [receivedEvent({ customer }), unused({ customer }), unreadable({ customer })]) {
      expect(await other.inbox.receive(event, NOON, apply)).to.deep.equal({
        state: 'ignored',
        account: null,
      });
      expect(await one.inbox.find(event.id)).to.include({ state: 'ignored', fault: null, account: id });
      expect(await payloadOf(one.inbox, event)).to.equal('');
    }
    expect(await one.accounts.find(id)).to.deep.equal(deleted);
  });

  it('make later checkouts that name the account ignored, with the reason and without a payload, also in a replay', async () => {
    const [one, other] = await pair();
    for (const person of [await aPerson(one), await aPerson(one, { isLinked: false })]) {
      const { id } = person;
      const deleted = accepted(await one.accountDeletions.delete(id, LATER, decide));
      for (const refusal of [null, 'account_id', 'not_signed', 'expired'] as const) {
        const checkout = receivedEvent({ fact: null, link: { account: id, refusal } });
        const receive = () => other.inbox.receive(checkout, NOON, apply);
        for (const act of [receive, () => other.inbox.replay(checkout, NOON, apply)]) {
          expect(await act()).to.deep.equal({ state: 'ignored', account: null });
          const stored = await one.inbox.find(checkout.id);
          expect(stored).to.include({ state: 'ignored', account: id });
          expect(stored?.fault).to.equal(`the checkout names ${id}, which is deleted, so nothing was linked`);
          expect(await payloadOf(one.inbox, checkout)).to.equal('');
        }
      }
      expect(await one.accounts.find(id)).to.deep.equal(deleted);
    }
  });

  it('let no identity join afterwards', async () => {
    const [one, other] = await pair();
    const { id } = await aPerson(one);
    await one.accountDeletions.delete(id, LATER, decide);
    const identity = { issuer: 'https://id.example', subject: randomUUID(), joinedAt: NOON };
    const fault: unknown = await other.identities
      .join(identity, id, (found) => recordJoin(found, identity.issuer, auditContext()))
      .catch((thrown) => thrown);
    expect(fault).to.be.instanceOf(NotNow);
    expect(await other.identities.of(id)).to.deep.equal([]);
    const removal = await one.identities.removeAll(id, (found) => recordRemoval(found, auditContext()));
    expect(removal).to.include({ refused: 'not_found' });
  });

  it('decide with the events of its customer that were stored with a fact, but not applied', async () => {
    const [one, other] = await pair();
    const { id, customer } = await aPerson(one, { isLinked: false });
    const refuses = () => refuse('changed_meanwhile');
    const waiting = receivedEvent({ customer });
    await one.inbox.receive(waiting, NOON, apply);
    accepted(await one.accounts.change(id, (found) => linkCustomer(found, customer, auditContext())));
    const failed = receivedEvent({ customer });
    await one.inbox.receive(failed, NOON, refuses);
    // None of these is such an event.
    for (const event of [unused({ customer }), unreadable({ customer })])
      await one.inbox.receive(event, NOON, refuses);
    await one.inbox.receive(receivedEvent(), NOON, apply);
    let given: readonly PaymentEvent[] = [];
    const answer = await other.accountDeletions.delete(id, LATER, (found, unapplied) => {
      given = unapplied;
      return decide(found, unapplied);
    });
    expect(answer).to.deep.equal({ refused: 'subscription_running' });
    expect(given).to.have.deep.members([waiting, failed].map(({ id, at, fact }) => ({ id, at, fact })));
    expect((await one.inbox.find(waiting.id))?.state).to.equal('waiting');
    // Once they are applied, they are part of the account.
    for (const event of [waiting, failed]) await one.inbox.replay(event, NOON, apply);
    await other.accountDeletions.delete(id, LATER, (_, unapplied) => {
      given = unapplied;
      return refuse('subscription_running');
    });
    expect(given).to.deep.equal([]);
  });

  it('leave no trace if they are refused', async () => {
    const one = await instance();
    const person = await aPerson(one);
    const event = unused({ customer: person.customer });
    await one.inbox.receive(event, NOON, apply);
    const before = [await one.accounts.find(person.id), await one.accounts.auditOf(person.id)];
    const answer = await one.accountDeletions.delete(person.id, LATER, () => refuse('subscription_running'));
    expect(answer).to.deep.equal({ refused: 'subscription_running' });
    expect([await one.accounts.find(person.id), await one.accounts.auditOf(person.id)]).to.deep.equal(before);
    expect(await one.identities.accountOf(person.identity)).to.equal(person.id);
    expect((await one.inbox.find(event.id))?.payload.length).to.equal(4);
    const unknown = await one.accountDeletions.delete('acc_nobody' as Account['id'], LATER, decide);
    expect(unknown).to.deep.equal({ refused: 'not_found', what: 'account' });
  });

  it('succeed again, and then also delete the payload of an event that another version has stored', async () => {
    const [one, other] = await pair();
    const { id, customer } = await aPerson(one);
    await one.accountDeletions.delete(id, LATER, decide);
    const before = [await one.accounts.find(id), await one.accounts.auditOf(id)];
    const payload = Buffer.from(`{"buyer":"${customer}"}`);
    const failed = receivedEvent({ customer: null, fact: null, fault: 'data is not an object', payload });
    await one.inbox.receive(failed, NOON, apply);
    accepted(await other.accountDeletions.delete(id, LATER, decide));
    expect([await one.accounts.find(id), await one.accounts.auditOf(id)]).to.deep.equal(before);
    expect(await payloadOf(one.inbox, failed)).to.equal('');
  });

  it('leave no payload of an event that is received at the same moment', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, customer } = await aPerson(stores[0]);
      const events = [unused({ customer }), unreadable({ customer }), unused({ customer })];
      const [first, ...others] = events.map((event) => stores[1].inbox.receive(event, NOON, apply));
      await Promise.all([first, stores[0].accountDeletions.delete(id, LATER, decide), ...others]);
      expect(isDeleted(accepted((await stores[0].accounts.find(id)) ?? refuse('key_unknown')))).to.equal(
        true,
      );
      for (const event of events) expect(await payloadOf(stores[0].inbox, event)).to.equal('');
    }
  });
});
