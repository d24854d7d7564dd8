import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import type { SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, NOON, suspendedBy } from '../../support/objects/builders.js';
import {
  accountsInMemory,
  aHolder,
  type InMemory,
  rewrite,
  storedKey,
} from '../../support/service/accounts.js';

describe('A hold', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  /** The result of the gateway for a key: `admitted`, its suspension causes, or the code of another refusal. */
  const answer = async (credential: string): Promise<string | readonly SuspensionCause[]> => {
    const admission = await service.admitRequest()({
      key: service.keyOf(credential),
      address: '192.0.2.1',
      source: '192.0.2.1',
      network: '192.0.2.0/24',
    });
    if (admission.admitted) return 'admitted';
    const { refusal } = admission;
    return refusal.refused === 'key_suspended' ? refusal.causes : refusal.refused;
  };

  it('on a key suspends only that key, from the next request until it is released (contract section 3.1, D21, D39)', async () => {
    const one = await aHolder(service);
    const other = accepted(await service.issueKey(one.account.id, null, 'operator'));
    expect(await answer(one.value)).to.equal('admitted');
    accepted(await service.hold.onKey(one.key.id, 'held', null, 'operator'));
    expect(await answer(one.value)).to.deep.equal(['manual_hold']);
    expect(await answer(other.value)).to.equal('admitted');
    accepted(await service.hold.onKey(one.key.id, 'released', null, 'operator'));
    expect(await answer(one.value)).to.equal('admitted');
  });

  it('on a subscription suspends all its keys, until it is released (D21)', async () => {
    const one = await aHolder(service);
    const other = accepted(await service.issueKey(one.account.id, null, 'operator'));
    accepted(await service.hold.onSubscription(one.account.id, 'held', null, 'operator'));
    for (const { value } of [one, other]) expect(await answer(value)).to.deep.equal(['manual_hold']);
    accepted(await service.hold.onSubscription(one.account.id, 'released', null, 'operator'));
    for (const { value } of [one, other]) expect(await answer(value)).to.equal('admitted');
  });

  it('at one level is not ended by a release at the other (D20)', async () => {
    const { account, key, value } = await aHolder(service);
    accepted(await service.hold.onKey(key.id, 'held', null, 'operator'));
    accepted(await service.hold.onSubscription(account.id, 'released', null, 'operator'));
    expect(await answer(value)).to.deep.equal(['manual_hold']);
    accepted(await service.hold.onSubscription(account.id, 'held', null, 'operator'));
    accepted(await service.hold.onKey(key.id, 'released', null, 'operator'));
    expect(await answer(value)).to.deep.equal(['manual_hold']);
    accepted(await service.hold.onSubscription(account.id, 'released', null, 'operator'));
    expect(await answer(value)).to.equal('admitted');
  });

  it('and other causes never end each other: each has its own release (D20)', async () => {
    const { account, value } = await aHolder(service);
    await rewrite(service, account.id, (found) => ({
      ...found,
      subscription: {
        ...found.subscription,
        suspension: suspendedBy('payment_failure', 'abuse', 'manual_hold'),
      },
    }));
    accepted(await service.hold.onSubscription(account.id, 'abuse_cleared', null, 'operator'));
    expect(await answer(value)).to.deep.equal(['payment_failure', 'manual_hold']);
    accepted(await service.hold.onSubscription(account.id, 'released', null, 'operator'));
    expect(await answer(value)).to.deep.equal(['payment_failure']);
  });

  it('ends a running grace at once, at either level, and its release does not restore it (D22)', async () => {
    for (const level of ['key', 'subscription'] as const) {
      service = accountsInMemory();
      const { account, key, value } = await aHolder(service);
      accepted(await service.rotateKey(key.id, null, 'customer'));
      accepted(await service.revokeKey(key.id, 'rotation', null, 'customer'));
      service.clock.at = plus(NOON, MINUTE);
      expect(await answer(value)).to.equal('admitted');
      for (const event of ['held', 'released'] as const) {
        accepted(
          level === 'key'
            ? await service.hold.onKey(key.id, event, null, 'operator')
            : await service.hold.onSubscription(account.id, event, null, 'operator'),
        );
        expect(await answer(value), `${event} on the ${level}`).to.equal('key_revoked');
      }
      expect((await storedKey(service, key.id)).state).to.include({ worksUntil: plus(NOON, MINUTE) });
    }
  });

  it('that is placed twice is one hold (D20)', async () => {
    const { key, value } = await aHolder(service);
    for (let i = 0; i < 2; i += 1) accepted(await service.hold.onKey(key.id, 'held', null, 'operator'));
    accepted(await service.hold.onKey(key.id, 'released', null, 'operator'));
    expect(await answer(value)).to.equal('admitted');
  });

  it('is recorded with actor, reason, time and target (D25)', async () => {
    const { account, key } = await aHolder(service);
    accepted(await service.hold.onKey(key.id, 'held', 'ticket 7' as Reason, 'ann'));
    service.clock.at = plus(NOON, MINUTE);
    accepted(await service.hold.onSubscription(account.id, 'held', 'ticket 8' as Reason, 'bob'));
    expect((await service.accounts.auditOf(account.id)).slice(-2)).to.deep.equal([
      { actor: 'ann', reason: 'ticket 7', at: NOON, event: 'held', key: key.id },
      { actor: 'bob', reason: 'ticket 8', at: plus(NOON, MINUTE), event: 'held', key: null },
    ]);
  });

  it('is refused for an unknown key or account', async () => {
    expect(await service.hold.onKey('key_nobody' as KeyId, 'held', null, 'operator')).to.deep.equal({
      refused: 'not_found',
      what: 'key',
    });
    expect(
      await service.hold.onSubscription('acc_nobody' as AccountId, 'held', null, 'operator'),
    ).to.deep.equal({ refused: 'not_found', what: 'account' });
  });
});
