import { expect } from 'chai';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import {
  changeDestination,
  createDestination,
  type DestinationAction,
  signingSecrets,
  whyNotDelivered,
  whyNotSent,
} from '../../../src/domain/destinations/account-destinations.js';
import type { Destination, Sealed } from '../../../src/domain/destinations/destination.js';
import { DAY, HOUR, MINUTE, plus } from '../../../src/domain/moment.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { aDestination } from '../../support/destinations/destinations.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { anOpening } from '../../support/service/accounts.js';

const OWNER = anOpening('builder', { email: 'owner@example.org' }).next;
const FIVE = { destinations: 5 };
const mailbox = (address: string): Destination['target'] => ({
  kind: 'email',
  address: address as EmailAddress,
  confirmedAt: null,
});
const created = (target: Destination['target']) =>
  accepted(createDestination([], OWNER, aDestination({ target }), FIVE, auditContext())).next;
const act = (destination: Destination, action: DestinationAction, at = NOON) =>
  changeDestination([destination], destination.id, action, auditContext(at));

describe('The destinations of an account', () => {
  it('are as many as the plan allows', () => {
    const all = Array.from({ length: 5 }, () => aDestination());
    expect(createDestination(all, OWNER, aDestination(), FIVE, auditContext())).to.deep.equal({
      refused: 'too_many_destinations',
      limit: 5,
    });
    accepted(createDestination(all.slice(1), OWNER, aDestination(), FIVE, auditContext()));
  });

  it('wait for a test or for the owner of the mailbox, unless they need neither', () => {
    const feed = { kind: 'feed', tokenHash: 'hash' as SecretHash } as const;
    const targets = [aDestination().target, mailbox('other@example.org'), mailbox('owner@example.org'), feed];
    const states = targets.map((target) => created(target)?.state.status);
    expect(states).to.deep.equal(['paused', 'paused', 'active', 'active']);
  });

  it('are not enabled before that', () => {
    const webhook = created(aDestination().target) ?? expect.fail();
    expect(act(webhook, { event: 'enabled' })).to.deep.equal({ refused: 'not_tested' });
    const tested = accepted(act(webhook, { event: 'tested' })).next;
    expect(tested).to.deep.include({ testedAt: NOON, state: { status: 'active' } });
    const mail = created(mailbox('other@example.org')) ?? expect.fail();
    expect(act(mail, { event: 'enabled' })).to.deep.equal({ refused: 'not_confirmed' });
    expect(whyNotDelivered(mail)).to.deep.equal({ refused: 'not_confirmed' });
    expect(accepted(act(mail, { event: 'confirmed' })).next?.state.status).to.equal('active');
  });

  it('stay disabled after a test if an operator has disabled them', () => {
    const webhook = created(aDestination().target) ?? expect.fail();
    const disabled = act(webhook, { event: 'disabled', cause: 'operator', reason: 'abuse' });
    const tested = act(accepted(disabled).next ?? expect.fail(), { event: 'tested' });
    expect(accepted(tested).next?.state.status).to.equal('disabled');
  });

  it('are tried at once when a test was answered after failures', () => {
    const failing = aDestination({
      state: { status: 'failing', since: NOON, tries: 9, nextAt: plus(NOON, HOUR) },
    });
    expect(accepted(act(failing, { event: 'tested' })).next?.state).to.deep.equal({ status: 'active' });
  });

  it('stay paused when a later test is answered', () => {
    const paused = accepted(act(aDestination(), { event: 'paused' })).next ?? expect.fail();
    expect(accepted(act(paused, { event: 'tested' })).next?.state.status).to.equal('paused');
  });

  it('need the consent of the mailbox again after its reader unsubscribed, also if the owner reads it', () => {
    const mail = created(mailbox('owner@example.org')) ?? expect.fail();
    const unsubscribed = { event: 'disabled', cause: 'unsubscribed', reason: null } as const;
    const ended = accepted(act(mail, unsubscribed)).next ?? expect.fail();
    expect(ended.state).to.deep.include({ status: 'disabled', cause: 'unsubscribed' });
    expect(act(ended, { event: 'enabled' })).to.deep.equal({ refused: 'not_confirmed' });
    expect(accepted(act(ended, { event: 'confirmed' })).next?.state.status).to.equal('active');
  });

  it('stay disabled by the operator when their reader unsubscribes', () => {
    const byOperator = { event: 'disabled', cause: 'operator', reason: 'asked to' } as const;
    const mail = created(mailbox('owner@example.org')) ?? expect.fail();
    const disabled = accepted(act(mail, byOperator)).next ?? expect.fail();
    const after = accepted(act(disabled, { ...byOperator, cause: 'unsubscribed', reason: null })).next;
    expect(after?.state).to.deep.include({ cause: 'operator', reason: 'asked to' });
    expect(after && whyNotDelivered(after)).to.deep.equal({ refused: 'not_confirmed' });
  });

  it('sign with the old secret too for 24 hours after a rotation', () => {
    const { target } =
      accepted(act(aDestination(), { event: 'secret_rotated', secret: 'new' as Sealed })).next ??
      expect.fail();
    if (target.kind !== 'webhook') expect.fail();
    expect(signingSecrets(target.secrets, plus(NOON, 24 * HOUR - 1))).to.deep.equal(['new', 'sealed secret']);
    expect(signingSecrets(target.secrets, plus(NOON, DAY))).to.deep.equal(['new']);
  });

  it('are not rotated twice within ten minutes, which would end the secret that the receiver has', () => {
    const rotate = { event: 'secret_rotated', secret: 'new' as Sealed } as const;
    const rotated = accepted(act(aDestination(), rotate)).next ?? expect.fail();
    expect(act(rotated, rotate, plus(NOON, 10 * MINUTE - 1))).to.deep.equal({ refused: 'changed_meanwhile' });
    accepted(act(rotated, rotate, plus(NOON, 10 * MINUTE)));
  });

  it('get nothing after an operator has disabled them, also not again', () => {
    const disabled = act(aDestination(), { event: 'disabled', cause: 'operator', reason: 'abuse' });
    expect(whyNotSent(accepted(disabled).next ?? expect.fail())).to.deep.include({ refused: 'not_found' });
    expect(whyNotSent(aDestination())).to.equal(null);
    expect(whyNotSent(aDestination({ testedAt: null }))).to.deep.equal({ refused: 'not_tested' });
  });

  it('are changed and removed with an entry in the audit log that names them', () => {
    const destination = aDestination();
    const actions: readonly DestinationAction[] = [
      { event: 'edited', label: destination.label, filter: 'q=rain' },
      { event: 'disabled', cause: 'operator', reason: 'asked to' },
      { event: 'removed' },
    ];
    const changes = actions.map((action) => accepted(act(destination, action)));
    expect(
      changes.flatMap(({ entries }) => entries.map(({ event, reason }) => [event, reason])),
    ).to.deep.equal([
      ['destination_changed', 'webhook destination “Desk”'],
      ['destination_disabled', 'webhook destination “Desk”'],
      ['destination_removed', 'webhook destination “Desk”'],
    ]);
    expect(changes.map(({ next }) => next?.filter ?? null)).to.deep.equal(['q=rain', '', null]);
    expect(changeDestination([], destination.id, { event: 'removed' }, auditContext())).to.deep.include({
      refused: 'not_found',
    });
  });
});
