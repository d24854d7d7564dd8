import { expect } from 'chai';
import { accepted } from '../../support/objects/builders.js';
import { keyHolder, START } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';

describe('The search of the operator console', () => {
  const { service, holder, operator, home } = operatorConsole();

  it('finds an account by email address, whatever its case and surrounding spaces', async () => {
    const email = 'Some.Body@Console.Example';
    const identity = { email, plan: 'free' as const, processorCustomerId: null };
    const { id } = accepted(await service().parts.openAccount(identity, 'test'));
    const person = await operator();
    for (const q of ['some.body@console.example', ' SOME.BODY@console.example ']) {
      const form = { form_token: person.formToken, q };
      expect((await person.post('/operator', form)).headers.location).to.equal(home(id));
      await person.open('/operator');
    }
  });

  it('finds an account by the first 12 characters of a key, with or without the ellipsis', async () => {
    const person = await operator();
    for (const q of [holder().key.prefix, `${holder().key.prefix}…`, `  ${holder().key.prefix}`]) {
      await person.open('/operator');
      const answer = await person.post('/operator', { form_token: person.formToken, q });
      expect([answer.status, answer.headers.location]).to.deep.equal([303, home()]);
    }
  });

  it('finds an account by a whole key, which no page, address or log line contains afterwards (D19)', async () => {
    const person = await operator();
    const unknown = `${holder().value.slice(0, 5)}Zz9_-${holder().value.slice(10)}`;
    for (const q of [holder().value, unknown]) {
      const { formToken } = person;
      const answer = await person.post('/operator', { form_token: formToken, q });
      expect(`${JSON.stringify(answer.headers)} ${answer.html}`).to.not.include(q.slice(13));
      const page = await person.open(answer.headers.location ?? '/operator');
      expect(page.html).to.not.include(q.slice(13));
      const id = page.headers['x-request-id'];
      await service().line((line) => line.msg === 'request' && line['request_id'] === id);
      expect(JSON.stringify(service().lines)).to.not.include(q.slice(13));
      await person.open('/operator');
    }
  });

  it('reports that it found nothing, and does not repeat the search text', async () => {
    const person = await operator();
    for (const q of ['nobody@console.example', 'svc_nobody12', '', `svc_${'\u0000'.repeat(8)}`]) {
      const page = await person.submit('/operator', { q });
      expect([q, page.status]).to.deep.equal([q, 404]);
      expect(page.text).to.include('Nothing has this ID, email address, or beginning of a key.');
      if (q !== '') expect(page.html).to.not.include(q);
    }
  });

  it('finds an account by any of its ids, and by a part of its email address', async () => {
    const identity = { email: 'nina@part.example', plan: 'free', processorCustomerId: 'cus_part' } as const;
    const account = accepted(await service().parts.openAccount(identity, 'test'));
    const { key } = accepted(await service().parts.issueKey(account.id, null, 'test'));
    const person = await operator();
    const ids = [account.id, account.subscription.id, key.id, 'cus_part'];
    for (const q of [...ids, 'nina@pa', 'NINA', '@part.exam', 'part.example']) {
      const answer = await person.post('/operator', { form_token: person.formToken, q });
      expect([q, answer.headers.location]).to.deep.equal([q, home(account.id)]);
      await person.open('/operator');
    }
  });

  it('finds an account by an invoice, an event by its id, and an item and its market by their ids', async () => {
    const identity = { email: 'ida@part.example', plan: 'free', processorCustomerId: 'cus_ida' } as const;
    const { id } = accepted(await service().parts.openAccount(identity, 'test'));
    const fact = { kind: 'invoice_open', invoice: 'in_ida', subscription: 'sub_ida' } as const;
    const event = { id: 'evt_ida', type: 'invoice.open', at: START, customer: 'cus_ida', link: null };
    await service().parts.paymentEvents.receive({ ...event, fact, fault: null, payload: Buffer.from('{}') });
    const item = { id: 'ne_ida', scoredAt: START, subMarketIds: [], json: Buffer.from('{}') };
    await service().parts.feed.publish([item], 'live');
    const person = await operator();
    const foundAt = async (q: string) =>
      (await person.post('/operator', { form_token: person.formToken, q })).headers.location;
    expect(await foundAt('in_ida')).to.equal(home(id));
    expect(await foundAt('evt_ida')).to.equal('/operator/payment-events/evt_ida');
    expect(await foundAt('ne_ida')).to.equal('/operator/items/ne_ida');
  });

  it('lists the accounts if several have a key with the prefix', async () => {
    const other = await keyHolder(service());
    const { account } = other;
    accepted(
      await service().parts.accounts.change(account, (found) => ({
        next: { ...found, keys: found.keys.map((key) => ({ ...key, prefix: holder().key.prefix })) },
        entries: [],
      })),
    );
    const page = await (await operator()).submit('/operator', { q: holder().value });
    expect(page.status).to.equal(200);
    expect(page.html)
      .to.include(`href="${home()}"`)
      .and.include(`href="${home(account)}"`);
    expect(page.html).to.not.include(holder().value.slice(13));
  });
});
