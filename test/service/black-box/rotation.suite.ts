import { expect } from 'chai';
import {
  account,
  actOn,
  advance,
  aKey,
  issue,
  type KeyView,
  keyNow,
  problem,
  type ServiceUnderTest,
} from '../../support/service/api-calls.js';
import { until } from '../../support/until.js';

/** Contract sections 3.1 and 5.4, D21 to D23: what ends a grace window or an overlap early. */
export function rotationSuite({ client }: ServiceUnderTest): void {
  describe('a rotation', () => {
    const use = async ({ key }: { readonly key: string }) => (await client().news(key, '?limit=1')).status;
    const on = (accountId: string, verb: 'hold' | 'release') =>
      client().operate('POST', `/internal/v1/accounts/${accountId}/${verb}`, { reason: 'ticket' });
    const rotate = async (id: string) => {
      const reply = await actOn(client(), id, 'rotate', {});
      return { status: reply.status, code: problem(reply).code, key: reply.json as KeyView };
    };
    /** Returns a key in its grace window, and its successor. */
    const inGrace = async () => {
      const old = await aKey(client());
      const { key: successor } = await rotate(old.key_id);
      await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' });
      expect(await use(old)).to.equal(200);
      return { old, successor };
    };

    const endings: readonly (readonly [
      what: string,
      end: (old: KeyView & { readonly account: string }) => Promise<unknown>,
    ])[] = [
      ['a hold on the key', (old) => actOn(client(), old.key_id, 'hold', { reason: 'ticket' })],
      ['a hold on the subscription', (old) => on(old.account, 'hold')],
      ['a manual revocation', (old) => actOn(client(), old.key_id, 'revoke', { cause: 'manual' })],
    ];
    for (const [what, end] of endings) {
      it(`loses its grace immediately by ${what}, and no release restores it (D22)`, async () => {
        const { old } = await inGrace();
        await end(old);
        const refused = await client().news(old.key);
        expect([refused.status, problem(refused).code]).to.deep.equal([401, 'key_revoked']);
        await actOn(client(), old.key_id, 'release', { reason: 'settled' });
        await on(old.account, 'release');
        expect(await use(old)).to.equal(401);
        expect((await keyNow(client(), old.key_id)).status).to.equal('revoked');
      });
    }

    it('shows the end of the grace: 300 s after the revocation of the old key (D22)', async () => {
      const old = await aKey(client());
      await rotate(old.key_id);
      await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' });
      const now = (await keyNow(client(), old.key_id)) as KeyView & { readonly revoked_at: string };
      expect(Date.parse(now.grace_until ?? '') - Date.parse(now.revoked_at)).to.equal(300_000);
      expect(now.grace_until?.slice(-5)).to.equal(now.revoked_at.slice(-5));
    });

    it('of a key on hold is refused with 402 (D21)', async () => {
      const key = await aKey(client());
      await actOn(client(), key.key_id, 'hold', { reason: 'ticket' });
      const refused = await rotate(key.key_id);
      expect([refused.status, refused.code]).to.deep.equal([402, 'key_suspended']);
    });

    it('starts no grace for a key that is suspended when it is revoked (D22)', async () => {
      const old = await aKey(client());
      await rotate(old.key_id);
      await actOn(client(), old.key_id, 'hold', { reason: 'ticket' });
      await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' });
      await actOn(client(), old.key_id, 'release', { reason: 'settled' });
      expect(await use(old)).to.equal(401);
      expect((await keyNow(client(), old.key_id)).grace_until).to.equal(null);
    });

    it('ends when its successor is revoked: the old key works on and may be rotated again (D23)', async () => {
      const old = await aKey(client(), 'free');
      const { key: successor } = await rotate(old.key_id);
      await actOn(client(), successor.key_id, 'revoke', { cause: 'manual' });
      await advance(client(), 86_400 * 2);
      expect(await use(old)).to.equal(200);
      expect((await rotate(old.key_id)).status).to.equal(201);
    });

    it('does not revoke the old key after a day while the successor is on hold (D23)', async () => {
      const old = await aKey(client(), 'free');
      const { key: successor } = await rotate(old.key_id);
      expect(await use(successor)).to.equal(200);
      await until(true, async () => (await keyNow(client(), successor.key_id)).last_used_at !== null);
      await actOn(client(), successor.key_id, 'hold', { reason: 'ticket' });
      await advance(client(), 86_400 * 2);
      expect(await use(old)).to.equal(200);
      expect((await keyNow(client(), old.key_id)).status).to.equal('active');
    });

    it('makes a pair that counts as one key in use until either is revoked (D23)', async () => {
      const id = await account(client());
      const [first] = [await issue(client(), id), await issue(client(), id), await issue(client(), id)];
      await rotate(first.key_id);
      const more = async () => (await client().operate('POST', `/internal/v1/accounts/${id}/keys`)).status;
      expect([await more(), await more(), await more()]).to.deep.equal([201, 201, 409]);
      await actOn(client(), first.key_id, 'revoke', { cause: 'rotation' });
      expect(await more()).to.equal(409);
    });

    it('can be done manually within the allowance: issue a key, then revoke the old one (contract section 5.4)', async () => {
      const id = await account(client());
      const [old, next] = [await issue(client(), id), await issue(client(), id)];
      await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' });
      expect([await use(old), await use(next)]).to.deep.equal([200, 200]);
      await advance(client(), 300);
      expect([await use(old), await use(next)]).to.deep.equal([401, 200]);
    });

    it('accepts a new label, and gives the successor both scopes (D26, D40)', async () => {
      const old = await aKey(client());
      const reply = await actOn(client(), old.key_id, 'rotate', { label: ' production ' });
      expect(reply.json).to.include({ label: 'production', predecessor_id: old.key_id, status: 'active' });
      expect(reply.json).to.have.deep.property('scopes', ['events.read', 'markets.read']);
    });
  });
}
