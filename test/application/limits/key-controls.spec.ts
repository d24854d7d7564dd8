import { expect } from 'chai';
import { MemoryGate } from '../../../src/adapters/memory/keys/memory-gate.js';
import type { IssuedKey } from '../../../src/application/keys/fresh-key.js';
import type { Admission } from '../../../src/application/limits/admit-request.js';
import { checkStream } from '../../../src/application/limits/check-stream.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type KeyControls, NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, NOON, suspendedBy } from '../../support/objects/builders.js';
import { code, gatewayInMemory, HERE, remaining } from '../../support/objects/gateway.js';
import { aHolder, type InMemory } from '../../support/service/accounts.js';

const ELSEWHERE = '198.51.100.7';
const NETWORK = '192.0.2.0/24' as Network;
const END = plus(NOON, HOUR);

const set = async (service: InMemory, { key }: IssuedKey, controls: Partial<KeyControls>) =>
  accepted(
    await service.editKey(
      key.id,
      { label: key.label, controls: { ...NO_CONTROLS, ...controls } },
      'customer',
    ),
  );

describe('The gateway, for a key with controls (D72)', () => {
  const { service, ask, become } = gatewayInMemory();
  const violated = (admission: Admission) =>
    !admission.admitted && admission.refusal.refused === 'rate_limited' ? admission.refusal.violated : null;

  it('refuses it from its expiry on like a revoked key, although nothing has written that down', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { expiresAt: END });
    service().clock.at = plus(END, -MICROSECOND);
    expect(code(await ask(holder.value))).to.equal('admitted');
    service().clock.at = END;
    const answer = await ask(holder.value);
    expect(code(answer)).to.equal('key_revoked');
    expect(remaining(answer)).to.deep.equal({ anonymous: 30 });
    expect(answer.key).to.equal(holder.key.id);
  });

  it('refuses a suspended key as suspended until its expiry, and as revoked after it', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { expiresAt: END });
    await become(holder, { suspension: suspendedBy('abuse') });
    expect(code(await ask(holder.value))).to.equal('key_suspended');
    service().clock.at = END;
    expect(code(await ask(holder.value))).to.equal('key_revoked');
  });

  it('refuses other addresses than the allowed ones, with the limits of the plan and without a permit', async () => {
    const holder = await aHolder(service(), 'builder');
    await set(service(), holder, { allowlist: [NETWORK] });
    const answer = await ask(holder.value, ELSEWHERE);
    expect(answer).to.deep.include({
      admitted: false,
      key: holder.key.id,
      refusal: { refused: 'address_not_allowed', address: ELSEWHERE },
    });
    expect(remaining(answer)).to.deep.equal({ minute: 600, day: 50_000 });
    expect(code(await ask(holder.value, HERE))).to.equal('admitted');
  });

  it('notes no use for abuse detection if the address is not allowed, or if only a limit of the key refused', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { allowlist: [NETWORK], limits: { perMinute: 1, perDay: null } });
    const notes: unknown[] = [];
    const admit = service().admitRequest({
      noteUse: (...[, , network, isRefused]) => notes.push([network, isRefused]),
    });
    for (const source of [ELSEWHERE, HERE, HERE])
      await admit({
        key: service().keyOf(holder.value),
        address: source,
        source,
        network: `net of ${source}`,
      });
    expect(notes).to.deep.equal([
      [`net of ${HERE}`, false],
      [`net of ${HERE}`, false],
    ]);
  });

  it('checks the addresses after the key and its subscription, and before the scope and the counters', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { allowlist: [NETWORK], limits: { perMinute: 1, perDay: null } });
    await ask(holder.value);
    expect(code(await ask(holder.value))).to.equal('rate_limited');
    expect(code(await ask(holder.value, ELSEWHERE))).to.equal('address_not_allowed');
    await become(holder, { scopes: [] });
    expect(code(await ask(holder.value, ELSEWHERE))).to.equal('address_not_allowed');
    await become(holder, { state: 'paused' });
    expect(code(await ask(holder.value, ELSEWHERE))).to.equal('subscription_paused');
    await become(holder, { suspension: suspendedBy('abuse') });
    expect(code(await ask(holder.value, ELSEWHERE))).to.equal('key_suspended');
  });

  it('judges the address itself, and not the /64 by which addresses are counted', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { allowlist: ['2001:db8::1' as Network] });
    const admit = service().admitRequest();
    const from = async (source: string) =>
      code(
        await admit({ key: service().keyOf(holder.value), address: '2001:db8::/64', source, network: 'n' }),
      );
    expect(await from('2001:db8::1')).to.equal('admitted');
    expect(await from('2001:db8::2')).to.equal('address_not_allowed');
    expect(await from('unknown')).to.equal('address_not_allowed');
  });

  it('counts its own limits beside those of the plan, and names those that refused', async () => {
    const holder = await aHolder(service(), 'builder');
    await set(service(), holder, { limits: { perMinute: 2, perDay: 3 } });
    expect(remaining(await ask(holder.value))).to.deep.equal({
      key_minute: 1,
      key_day: 2,
      minute: 599,
      day: 49_999,
    });
    await ask(holder.value);
    const third = await ask(holder.value);
    expect(violated(third)).to.deep.equal(['key_minute']);
    expect(remaining(third)).to.deep.equal({ key_minute: 0, key_day: 1, minute: 598, day: 49_998 });
    service().clock.at = plus(NOON, MINUTE);
    await ask(holder.value);
    expect(violated(await ask(holder.value))).to.deep.equal(['key_day']);
  });

  it('counts each key by itself, and all of them for the plan', async () => {
    const holder = await aHolder(service(), 'pro');
    const other = accepted(await service().issueKey(holder.account.id, null, 'customer'));
    const third = accepted(await service().issueKey(holder.account.id, null, 'customer'));
    await set(service(), holder, { limits: { perMinute: 1, perDay: null } });
    await set(service(), other, { limits: { perMinute: 1, perDay: null } });
    await ask(holder.value);
    expect(violated(await ask(holder.value))).to.deep.equal(['key_minute']);
    expect(remaining(await ask(other.value))).to.deep.equal({ key_minute: 0, minute: 2_998, day: 999_998 });
    expect(remaining(await ask(third.value))).to.deep.equal({ minute: 2_997, day: 999_997 });
  });

  it('names the limits of the plan too if they are used up as well', async () => {
    const holder = await aHolder(service(), 'free');
    const other = accepted(await service().rotateKey(holder.key.id, null, 'customer'));
    await set(service(), holder, { limits: { perMinute: 1, perDay: null } });
    await ask(holder.value);
    for (let i = 0; i < 59; i += 1) await ask(other.value);
    expect(violated(await ask(holder.value))).to.deep.equal(['key_minute', 'minute']);
    expect(violated(await ask(other.value))).to.deep.equal(['minute']);
  });

  it('shows a stream the controls of its key, and that it ends with the expiry', async () => {
    const holder = await aHolder(service());
    await set(service(), holder, { expiresAt: END, allowlist: [NETWORK] });
    const gate = new MemoryGate(service().stored);
    const check = checkStream({ gate, plans: PLANS, clock: () => service().clock.at });
    const { hash } = holder.key;
    expect(check(hash)).to.deep.include({
      endsAt: END,
      controls: { ...NO_CONTROLS, expiresAt: END, allowlist: [NETWORK] },
    });
    expect(check(hash, HERE)).to.not.have.property('refused');
    expect(check(hash, ELSEWHERE)).to.deep.equal({ refused: 'address_not_allowed', address: ELSEWHERE });
    accepted(await service().rotateKey(holder.key.id, null, 'customer'));
    accepted(await service().revokeKey(holder.key.id, 'rotation', null, 'customer'));
    expect(check(hash)).to.deep.include({ endsAt: plus(NOON, 5 * MINUTE) });
    service().clock.at = END;
    expect(check(hash)).to.deep.equal({ refused: 'key_revoked' });
  });
});
