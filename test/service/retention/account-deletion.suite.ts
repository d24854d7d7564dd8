import { expect } from 'chai';
import { type KeyView, problem, type ServiceUnderTest, unique } from '../../support/service/api-calls.js';
import { type AccountView, aCustomer } from '../../support/service/processor-customer.js';

type Audited = AccountView & {
  readonly email: string;
  readonly keys: readonly KeyView[];
  readonly audit: KeyView['audit'];
};

/** D30: which accounts an operator can delete, and what stays. */
export function accountDeletionSuite({ client, service }: ServiceUnderTest): void {
  describe('the deletion of an account', () => {
    const remove = (id: string) => client().operate('DELETE', `/internal/v1/accounts/${id}`);
    const view = async (id: string) =>
      (await client().operate('GET', `/internal/v1/accounts/${id}`)).json as Audited;
    const open = async (email: string) => {
      const reply = await client().operate('POST', '/internal/v1/accounts', { email, plan: 'free' });
      return [reply.status, (reply.json as { readonly account_id: string }).account_id] as const;
    };

    it('revokes its keys at once, keeps ids and transitions, and frees the email address', async () => {
      const email = `${unique()}@example.org`;
      const [, id] = await open(email);
      const { json } = await client().operate('POST', `/internal/v1/accounts/${id}/keys`, {
        label: 'laptop',
      });
      const key = json as KeyView;
      await client().operate('POST', `/internal/v1/accounts/${id}/hold`, { reason: 'asked by telephone' });
      await client().operate('POST', `/internal/v1/accounts/${id}/release`, { reason: 'asked again' });
      // Each instance has a copy of the key.
      for (const _ of [1, 2]) expect((await client().news(key.key)).status).to.equal(200);
      expect((await remove(id)).status).to.equal(204);
      for (const _ of [1, 2]) {
        const refused = await client().news(key.key);
        expect([refused.status, problem(refused).code]).to.deep.equal([401, 'key_revoked']);
      }
      const left = await view(id);
      expect([left.email, left.subscription.state]).to.deep.equal([`deleted-${id}`, 'canceled']);
      expect(left.keys).to.have.length(1);
      expect(left.keys[0]).to.include({ key_id: key.key_id, label: null, revocation_cause: 'cancellation' });
      expect(left.audit.map(({ event, reason }) => [event, reason])).to.deep.equal(
        ['opened', 'issued', 'held', 'released', 'deleted'].map((event) => [event, null]),
      );
      const found = await client().operate('GET', `/internal/v1/accounts?email=${encodeURIComponent(email)}`);
      expect(found.status).to.equal(404);
      const [status, other] = await open(email);
      expect([status, other === id]).to.deep.equal([201, false]);
    });

    it('succeeds when it is repeated, and ends all other changes of the account', async () => {
      const [, id] = await open(`${unique()}@example.org`);
      expect([(await remove(id)).status, (await remove(id)).status]).to.deep.equal([204, 204]);
      const before = await view(id);
      const calls: readonly (readonly [path: string, body?: object])[] = [
        ['keys', {}],
        ['hold', { reason: 'x' }],
        ['release', { reason: 'x' }],
        ['customer', { processor_customer_id: `cus_${unique()}` }],
        ['checkout-reference'],
        ['abuse-detection', { enabled: false, reason: 'x' }],
      ];
      for (const [path, body] of calls) {
        const reply = await client().operate('POST', `/internal/v1/accounts/${id}/${path}`, body);
        expect([path, reply.status, problem(reply).code]).to.deep.equal([path, 409, 'account_deleted']);
      }
      expect(await view(id)).to.deep.equal(before);
      expect(before.audit.filter(({ event }) => event === 'deleted')).to.have.length(1);
    });

    it('is refused while a subscription runs, and possible after its end', async () => {
      const customer = await aCustomer(client());
      await customer.tells('active');
      const refused = await remove(customer.account);
      expect([refused.status, problem(refused).code]).to.deep.equal([409, 'subscription_running']);
      expect(await customer.answer()).to.deep.equal([200]);
      await customer.tells('canceled');
      expect((await remove(customer.account)).status).to.equal(204);
    });

    it('is only for operators, and unknown accounts are 404', async () => {
      expect((await remove('acc_nobody')).status).to.equal(404);
      const [, id] = await open(`${unique()}@example.org`);
      const headers = { Authorization: `Bearer ${service().tokens.publisher}` };
      const asked = { method: 'DELETE', headers };
      expect((await client().internal(`/internal/v1/accounts/${id}`, asked)).status).to.equal(403);
      expect((await view(id)).email).not.to.include('deleted');
    });

    it('lets replays of its payment events change nothing', async () => {
      const customer = await aCustomer(client());
      await customer.tells('canceled');
      const path = `/internal/v1/payment-events?account_id=${customer.account}`;
      const { events } = (await client().operate('GET', path)).json as {
        readonly events: readonly { readonly event_id: string }[];
      };
      await remove(customer.account);
      const before = await view(customer.account);
      const replayed = await client().operate(
        'POST',
        `/internal/v1/payment-events/${events[0]?.event_id}/replay`,
      );
      expect(replayed.status).to.equal(200);
      expect(replayed.json).to.include({ state: 'applied' });
      expect(await view(customer.account)).to.deep.equal(before);
    });
  });
}
