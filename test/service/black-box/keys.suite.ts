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
import type { Reply } from '../../support/service/client.js';
import { until } from '../../support/until.js';

const answer = (reply: Reply) => [reply.status, problem(reply)?.code];

/** Contract sections 3.1, 5.3 and 5.4: the life of a key, from issue to refusal. */
export function keysSuite({ client }: ServiceUnderTest): void {
  describe('a key', () => {
    const use = async ({ key }: { readonly key: string }) => (await client().news(key, '?limit=1')).status;
    const rotate = async (id: string): Promise<KeyView> => {
      const reply = await actOn(client(), id, 'rotate', {});
      expect(reply.status).to.equal(201);
      return reply.json as KeyView;
    };

    it('works immediately, and its secret is shown once (contract section 5.3)', async () => {
      const key = await aKey(client());
      expect(key.key).to.match(/^svc_[A-Za-z0-9_-]{43}$/);
      expect(await use(key)).to.equal(200);
      let now = await keyNow(client(), key.key_id);
      // Instances write `last_used_at` in batches, so another instance shows it later.
      while (now.last_used_at === null) now = await keyNow(client(), key.key_id);
      expect(JSON.stringify(now)).not.to.include(key.key.slice(12));
      expect(now.status).to.equal('active');
    });

    it('has no label or one of 1 to 64 characters (D26)', async () => {
      const id = await account(client());
      const labelled = (label: unknown) =>
        client().operate('POST', `/internal/v1/accounts/${id}/keys`, { label });
      expect(((await labelled('  产品 🔑  ')).json as { label: string }).label).to.equal('产品 🔑');
      for (const label of ['', '   ', 'x'.repeat(65), 'a\u0007b', 5]) {
        expect(answer(await labelled(label))).to.deep.equal([400, 'invalid_body']);
      }
    });

    it('is one of at most five on Pro, and one on Free and Builder, also after ten concurrent requests (D23)', async () => {
      for (const [plan, allowance] of [
        ['pro', 5],
        ['free', 1],
        ['builder', 1],
      ] as const) {
        const id = await account(client(), plan);
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => client().operate('POST', `/internal/v1/accounts/${id}/keys`)),
        );
        expect(replies.filter(({ status }) => status === 201)).to.have.length(allowance);
        const refused = replies.filter(({ status }) => status !== 201).map(answer);
        expect(refused).to.deep.equal(Array(10 - allowance).fill([409, 'allowance_exceeded']));
      }
    });

    it('works until 300 s after it was revoked for a rotation (contract section 5.4, D22, D23)', async () => {
      const old = await aKey(client(), 'free');
      const successor = await rotate(old.key_id);
      expect([await use(old), await use(successor)]).to.deep.equal([200, 200]);
      expect(answer(await actOn(client(), old.key_id, 'rotate', {}))).to.deep.equal([409, 'rotation_open']);
      expect(answer(await actOn(client(), successor.key_id, 'rotate', {}))).to.deep.equal([
        409,
        'rotation_open',
      ]);
      const retired = (await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' })).json as KeyView;
      expect(retired.revocation_cause).to.equal('rotation');
      expect(retired.grace_until).not.to.equal(null);
      await advance(client(), 290);
      expect(await use(old)).to.equal(200);
      await advance(client(), 10.1);
      expect(answer(await client().news(old.key))).to.deep.equal([401, 'key_revoked']);
      expect(await use(successor)).to.equal(200);
    });

    /** Uses a key, and returns when all instances know it. */
    const useKnown = async (key: KeyView) => {
      expect(await use(key)).to.equal(200);
      await until(true, async () => (await keyNow(client(), key.key_id)).last_used_at !== null);
    };

    it('works while its successor is unused, however long (D23)', async () => {
      const old = await aKey(client(), 'free');
      const successor = await rotate(old.key_id);
      await advance(client(), 30 * 86_400);
      expect((await keyNow(client(), old.key_id)).status).to.equal('active');
      expect((await keyNow(client(), successor.key_id)).overlap_ends_at).to.equal(null);
      expect(await use(old)).to.equal(200);
      await useKnown(successor);
      const { overlap_ends_at: end, last_used_at: used } = await keyNow(client(), successor.key_id);
      expect(Date.parse(end ?? '') - Date.parse(used ?? '')).to.equal(86_400_000);
      await advance(client(), 86_400 - 100);
      expect(await use(old)).to.equal(200);
      await advance(client(), 400);
      expect([await use(old), await use(successor)]).to.deep.equal([401, 200]);
    });

    it('is revoked by the service one day after the first use of its successor, effective at that time (D23)', async () => {
      const old = await aKey(client(), 'free');
      const successor = await rotate(old.key_id);
      await useKnown(successor);
      await advance(client(), 86_400 + 200);
      const now = await keyNow(client(), old.key_id);
      expect([now.status, now.revocation_cause]).to.deep.equal(['revoked', 'rotation']);
      expect(await use(old)).to.equal(200);
      await advance(client(), 200);
      expect([await use(old), await use(successor)]).to.deep.equal([401, 200]);
    });

    it('is rotated once by concurrent requests (D23)', async () => {
      const { key_id } = await aKey(client());
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => actOn(client(), key_id, 'rotate', {})),
      );
      expect(replies.filter(({ status }) => status === 201)).to.have.length(1);
      expect(replies.filter(({ status }) => status === 409)).to.have.length(7);
    });

    it('is revoked for a rotation only if a newer key is active (D23)', async () => {
      const id = await account(client());
      const first = await issue(client(), id);
      const retire = () => actOn(client(), first.key_id, 'revoke', { cause: 'rotation' });
      expect(answer(await retire())).to.deep.equal([409, 'no_replacement']);
      await issue(client(), id);
      expect((await retire()).status).to.equal(200);
      expect(answer(await retire())).to.deep.equal([409, 'key_revoked']);
    });

    it('stops working immediately when it is revoked manually, also in its grace (contract section 3.1, D22)', async () => {
      const key = await aKey(client());
      await actOn(client(), key.key_id, 'revoke', { cause: 'manual', reason: 'leaked' });
      expect(await use(key)).to.equal(401);
      const old = await aKey(client());
      await rotate(old.key_id);
      await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' });
      await actOn(client(), old.key_id, 'revoke', { cause: 'manual' });
      expect(await use(old)).to.equal(401);
    });

    it('is answered 402 while it is on hold, and works again once released (contract section 3.1, D20)', async () => {
      const key = await aKey(client());
      await actOn(client(), key.key_id, 'hold', { reason: 'ticket 7' });
      await client().operate('POST', `/internal/v1/accounts/${key.account}/hold`, { reason: 'ticket 8' });
      const held = await client().news(key.key);
      expect(answer(held)).to.deep.equal([402, 'key_suspended']);
      expect(problem(held).causes).to.deep.equal(['manual_hold']);
      await actOn(client(), key.key_id, 'release', { reason: 'settled' });
      expect(await use(key)).to.equal(402);
      await client().operate('POST', `/internal/v1/accounts/${key.account}/release`, { reason: 'settled' });
      expect(await use(key)).to.equal(200);
    });

    it('cannot be issued or rotated while its subscription is on hold (D21)', async () => {
      const key = await aKey(client());
      await client().operate('POST', `/internal/v1/accounts/${key.account}/hold`, { reason: 'x' });
      const more = await client().operate('POST', `/internal/v1/accounts/${key.account}/keys`);
      expect(answer(more)).to.deep.equal([402, 'key_suspended']);
      expect(answer(await actOn(client(), key.key_id, 'rotate', {}))).to.deep.equal([402, 'key_suspended']);
    });

    it('that is revoked on hold counts towards the allowance until its release (D21)', async () => {
      const key = await aKey(client(), 'free');
      await actOn(client(), key.key_id, 'hold', { reason: 'x' });
      await actOn(client(), key.key_id, 'revoke', { cause: 'manual' });
      const more = () => client().operate('POST', `/internal/v1/accounts/${key.account}/keys`);
      expect(answer(await more())).to.deep.equal([409, 'allowance_exceeded']);
      await actOn(client(), key.key_id, 'release', { reason: 'x' });
      expect((await keyNow(client(), key.key_id)).status).to.equal('revoked');
      expect((await more()).status).to.equal(201);
    });

    it('has an audit entry with actor and reason for every change (D25)', async () => {
      const { key_id } = await aKey(client());
      await actOn(client(), key_id, 'hold', { reason: 'ticket 7' });
      await actOn(client(), key_id, 'release', { reason: 'settled' });
      await actOn(client(), key_id, 'revoke', { cause: 'manual', reason: 'asked for' });
      const { audit } = await keyNow(client(), key_id);
      expect(audit.map(({ event, actor, cause, reason }) => [event, actor, cause, reason])).to.deep.equal([
        ['opened', 'operator', null, null],
        ['issued', 'operator', null, null],
        ['held', 'operator', 'manual_hold', 'ticket 7'],
        ['released', 'operator', 'manual_hold', 'settled'],
        ['revoked', 'operator', 'manual', 'asked for'],
      ]);
    });

    it('belongs to an account with a unique email address, found in upper and lower case (D42)', async () => {
      const email = `Someone.${Date.now()}@Example.org`;
      const open = () => client().operate('POST', '/internal/v1/accounts', { email, plan: 'free' });
      expect((await open()).status).to.equal(201);
      expect(answer(await open())).to.deep.equal([409, 'account_exists']);
      const found = await client().operate('GET', `/internal/v1/accounts?email=${email.toUpperCase()}`);
      expect((found.json as { email: string }).email).to.equal(email.toLowerCase());
      expect((await client().operate('GET', '/internal/v1/accounts?email=nobody@x.org')).status).to.equal(
        404,
      );
      expect((await client().operate('GET', '/internal/v1/keys/nobody')).status).to.equal(404);
    });
  });
}
