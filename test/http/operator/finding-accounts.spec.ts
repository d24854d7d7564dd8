import { expect } from 'chai';
import { accepted } from '../../support/objects/builders.js';
import { keyHolder } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';

describe('The console of operators finds an account', () => {
  const { service, holder, operator, home } = operatorConsole();

  it('by e-mail, in any case and with blanks around', async () => {
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

  it('by the first 12 characters of a key, also where it is written as shown', async () => {
    const person = await operator();
    for (const q of [holder().key.prefix, `${holder().key.prefix}…`, `  ${holder().key.prefix}`]) {
      await person.open('/operator');
      const answer = await person.post('/operator', { form_token: person.formToken, q });
      expect([answer.status, answer.headers.location]).to.deep.equal([303, home()]);
    }
  });

  it('by a whole key, which is then in no page, address or line of the log (D19)', async () => {
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

  it('or says that there is none, and repeats nothing of what was typed', async () => {
    const person = await operator();
    for (const q of ['nobody@console.example', 'svc_nobody12', '', `svc_${'\u0000'.repeat(8)}`]) {
      const page = await person.submit('/operator', { q });
      expect([q, page.status]).to.deep.equal([q, 404]);
      expect(page.text).to.include('No account has this e-mail address');
      if (q !== '') expect(page.html).to.not.include(q);
    }
  });

  it('or lists them, where several have a key that begins so', async () => {
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
