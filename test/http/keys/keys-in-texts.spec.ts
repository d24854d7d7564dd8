import { expect } from 'chai';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  type Problem,
} from '../../support/service/composed.js';
import { operatorOf, visitorOf } from '../../support/service/visitor.js';

/** Percent-encodes every character. */
const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Ways to write a key: with its prefix in any letter case, or encoded. */
const WRITTEN: readonly (readonly [how: string, write: (key: string) => string])[] = [
  ['unchanged', (key) => key],
  ['with its prefix in capitals', (key) => `SVC_${key.slice(4)}`],
  ['with its prefix in mixed case', (key) => `Svc_${key.slice(4)}`],
  ['percent-encoded', (key) => encoded(key)],
  ['with its last character missing', (key) => key.slice(0, -1)],
];

/** Calls of the internal API that take a reason, with their other fields. */
const REASONED: readonly (readonly [path: string, body: object])[] = [
  ['accounts/$ACCOUNT/hold', {}],
  ['accounts/$ACCOUNT/release', {}],
  ['accounts/$ACCOUNT/abuse-detection', { enabled: false }],
  ['keys/$KEY/hold', {}],
  ['keys/$KEY/release', {}],
  ['keys/$KEY/revoke', { cause: 'manual' }],
];

describe('A key in a text (D19)', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed({ LOG_LEVEL: 'trace' });
  });
  after(() => service.stop());
  beforeEach(async () => {
    holder = await keyHolder(service);
  });

  const post = (path: string, body: object): Promise<Answer> =>
    ask(
      `${service.internalUrl}/internal/v1/${path.replace('$ACCOUNT', holder.account).replace('$KEY', holder.key.id)}`,
      {
        method: 'POST',
        headers: { ...bearer('operator-token-of-the-tests'), 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      },
    );
  const stored = async () => ({
    account: await service.parts.accounts.find(holder.account),
    audit: await service.parts.accounts.auditOf(holder.account),
  });
  /** Expects the key, plain or encoded, neither in the response nor in stores and log. */
  async function expectNoLeak(answer: Answer): Promise<void> {
    const all = [answer.body.toString('utf8'), JSON.stringify(await stored()), JSON.stringify(service.lines)];
    for (const text of all) {
      expect(text).to.not.include(holder.value.slice(12, 40));
      expect(text).to.not.include(encoded(holder.value).slice(36, 120));
    }
  }

  for (const [how, write] of WRITTEN) {
    for (const [path, body] of REASONED) {
      it(`${how} is redacted in a reason: POST ${path}`, async () => {
        const answer = await post(path, { ...body, reason: `leaked: ${write(holder.value)} on a forum` });
        expect(answer.status).to.equal(200);
        expect((await stored()).audit.at(-1)?.reason).to.match(
          /^(off: )?leaked: svc_\[redacted\] on a forum$/,
        );
        await expectNoLeak(answer);
      });
    }

    for (const path of ['accounts/$ACCOUNT/keys', 'keys/$KEY/rotate']) {
      it(`${how} is refused in a label: POST ${path}`, async () => {
        const before = await stored();
        const answer = await post(path, { label: write(holder.value) });
        expect(answer.status).to.equal(400);
        const { code, errors } = answer.json<Problem>();
        expect([code, errors?.[0]?.parameter, errors?.[0]?.code]).to.deep.equal([
          'invalid_body',
          '/label',
          'invalid_label',
        ]);
        expect(await stored()).to.deep.equal(before);
        await expectNoLeak(answer);
      });
    }

    it(`${how} is refused in a label of the dashboard, with a message in the form`, async () => {
      const visitor = await visitorOf(service, holder.account);
      const before = await stored();
      const page = await visitor.submit('/dashboard/keys', {
        label: write(holder.value),
        seen: visitor.seen,
      });
      expect(page.status).to.equal(400);
      expect(page.text).to.include('Label must');
      expect(await stored()).to.deep.equal(before);
      await expectNoLeak(page);
    });

    it(`${how} is redacted in a reason of the console, even in one that is shown again in the form`, async () => {
      const operator = await operatorOf(service);
      const path = `/operator/accounts/${holder.account}/acts/hold`;
      await operator.open(path);
      const tooLong = `${write(holder.value)} ${'x'.repeat(500)}`;
      const refused = await operator.submit(path, { reason: tooLong });
      expect(refused.status).to.equal(400);
      expect(refused.text).to.include('svc_[redacted] xxx');
      await expectNoLeak(refused);
      const done = await operator.submit(path, { reason: `leaked: ${write(holder.value)}` });
      await expectNoLeak(done);
      const audit = await operator.open(`/operator/accounts/${holder.account}/audit`);
      expect(audit.text).to.include('leaked: svc_[redacted]');
      expect((await stored()).audit.at(-1)?.reason).to.equal('leaked: svc_[redacted]');
      await expectNoLeak(audit);
    });
  }

  it('is named in the refusal of a label as the fault', async () => {
    const answer = await post('accounts/$ACCOUNT/keys', { label: holder.value });
    expect(answer.json().errors?.[0]?.message).to.include('must not contain an API key');
  });

  it('does not change the other rules of a reason, which are the same for the console and the API', async () => {
    for (const reason of [' \n ', 'x'.repeat(501), 'a\u0000b', 'a\tb', '\ud83d']) {
      const answer = await post('accounts/$ACCOUNT/hold', { reason });
      expect([reason.slice(0, 5), answer.status]).to.deep.equal([reason.slice(0, 5), 400]);
      expect(answer.json().errors?.map(({ parameter, code }) => [parameter, code])).to.deep.equal([
        ['/reason', 'invalid_reason'],
      ]);
    }
    expect((await stored()).account?.subscription.suspension.status).to.equal('active');
  });

  it('may be cited by its first 12 characters in a label and a reason, because they are public (D42)', async () => {
    const text = `the key ${holder.key.prefix}…`;
    expect((await post('accounts/$ACCOUNT/keys', { label: text })).json<{ label: string }>().label).to.equal(
      text,
    );
    expect((await post('keys/$KEY/hold', { reason: text })).status).to.equal(200);
    expect((await stored()).audit.at(-1)?.reason).to.equal(text);
  });
});
