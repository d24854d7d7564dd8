import { expect } from 'chai';
import { ask, bearer, type Composed, composed, type Problem } from '../../support/service/composed.js';
import { Visitor } from '../../support/service/visitor.js';

const OPERATOR = bearer('operator-token-of-the-tests');

/** Addresses that change to another address, or another length, in lower or upper case. */
const FOLDING = [
  '\u212aim@folding.example',
  'kİm@folding.example',
  'straße@folding.example',
  'oﬃce@folding.example',
];

describe('An e-mail address whose letter case changes it (D42)', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const open = (email: string) =>
    ask(`${service.internalUrl}/internal/v1/accounts`, {
      method: 'POST',
      headers: { ...OPERATOR, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, plan: 'free' }),
    });

  for (const email of FOLDING) {
    it(`opens no account through the operator API: ${email}`, async () => {
      const answer = await open(email);
      expect(answer.status).to.equal(400);
      expect(answer.json<Problem>().errors).to.deep.equal([
        { parameter: '/email', code: 'invalid_email', message: 'must be an email address' },
      ]);
      expect(await service.parts.accounts.findByEmail(email)).to.equal(null);
    });

    it(`gets no sign-in link from the dashboard: ${email}`, async () => {
      const page = await new Visitor(service.url).post('/dashboard/sign-in', { email });
      expect(page.status).to.equal(400);
      expect(page.text).to.include('Enter an email address such as name@example.com.');
    });
  }

  it('does not find the account of the address that it changes to', async () => {
    expect((await open('kim@folding.example')).status).to.equal(201);
    const find = (email: string) =>
      ask(`${service.internalUrl}/internal/v1/accounts?email=${encodeURIComponent(email)}`, {
        headers: OPERATOR,
      });
    expect((await find('KIM@folding.example')).status).to.equal(200);
    expect((await find('\u212aim@folding.example')).status).to.equal(404);
  });

  it('is refused by the same rule in the operator API and at the sign-in', async () => {
    expect((await open('zoë@müller.example')).status).to.equal(201);
    expect((await open('ada@localhost')).status).to.equal(201);
    expect((await open(' ADA@spaces.example ')).json<{ readonly email: string }>().email).to.equal(
      'ada@spaces.example',
    );
    expect((await open('ada@exam_ple.example')).status).to.equal(400);
  });
});
