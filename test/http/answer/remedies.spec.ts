import { expect } from 'chai';
import sinon from 'sinon';
import { parseJson } from '../../../src/adapters/http/answer/body.js';
import { refusalProblem } from '../../../src/adapters/http/answer/problem.js';
import { problemReferences } from '../../../src/adapters/http/answer/service-links.js';
import { whileStarting } from '../../../src/adapters/http/operations/while-starting.js';
import { validator } from '../../../src/adapters/http/schema/validator.js';
import type { SuspensionCause } from '../../../src/domain/keys/suspension.js';
import type { Refusal } from '../../../src/domain/refusal.js';
import { REFERENCES } from '../../support/objects/problem-references.js';
import { bareContext } from '../../support/service/middleware.js';

const detailOf = (refusal: Refusal, references = REFERENCES): string =>
  refusalProblem(refusal, { instance: '/', requestId: 'r', references }).document.detail;

describe('The text of an error says what to do', () => {
  const suspended = (...causes: readonly SuspensionCause[]): Refusal => ({
    refused: 'key_suspended',
    causes,
  });

  it('and whom to contact about a hold, if a contact is set', () => {
    expect(detailOf(suspended('manual_hold'))).to.match(
      /once the `causes` are resolved\. For `manual_hold`, contact support@oddswire\.test\.$/,
    );
    const parts = { publicAddress: { url: () => 'https://a.test' }, config: { supportContact: undefined } };
    expect(detailOf(suspended('abuse', 'manual_hold'), problemReferences(parts, 'public'))).to.include(
      'For `abuse`, contact the operator of this service. For `manual_hold`, contact the operator of this service.',
    );
    for (const [supportContact, text] of [
      ['mailto:a@b.test?subject=x', 'a@b.test'],
      ['tel:+15550100', '+15550100'],
      ['https://a.test/help', 'https://a.test/help'],
    ] as const)
      expect(problemReferences({ ...parts, config: { supportContact } }, 'public').support).to.equal(text);
  });

  it('and to pay, for a payment failure', () => {
    const text = detailOf(suspended('payment_failure'));
    expect(text).to.match(
      /For `payment_failure`, pay the open invoice at https:\/\/api\.oddswire\.test\/dashboard\/subscription\.$/,
    );
    expect(text).not.to.include('contact');
    expect(detailOf(suspended('payment_failure', 'abuse')))
      .to.include('pay the open invoice')
      .and.include('contact');
  });

  it('and on which page, if a payment is missing', () => {
    for (const refused of ['payment_required', 'subscription_incomplete', 'subscription_paused'] as const)
      expect(detailOf({ refused })).to.match(/ at https:\/\/api\.oddswire\.test\/dashboard\/subscription$/);
  });

  it('if a replay was to begin too long ago, or a position is gone', () => {
    const refusal = { refused: 'position_expired', feedHead: null } as const;
    expect(detailOf({ ...refusal, keptDays: 7 })).to.match(/^`since` may be at most 7 days back\. For older/);
    expect(detailOf({ ...refusal, keptDays: 1 })).to.include('at most 1 day back');
    expect(detailOf(refusal)).to.match(/^The changes after this position are no longer available/);
  });

  it('for an empty body, and for a release with neither of its fields', () => {
    expect(parseJson(Buffer.alloc(0))).to.deep.equal({
      refused: 'invalid_body',
      faults: [{ parameter: '', code: 'invalid_json', message: 'is empty; send JSON' }],
    });
    const faultsOf = validator('Release');
    expect(faultsOf({})).to.deep.equal([
      { parameter: '', code: 'missing', message: 'must have `reason` or `cause`' },
    ]);
    expect(faultsOf({ reason: 'checked' })).to.deep.equal([]);
    expect(faultsOf({ cause: 'abuse' })).to.deep.equal([]);
  });

  it('while the service starts, with what it waits for if that is known', async () => {
    const texts: unknown[] = [];
    for (const waitsFor of [null, 'waiting for Postgres']) {
      const ctx = bareContext({});
      Object.assign(ctx.state, { references: REFERENCES });
      const next = sinon.fake.rejects(new Error('it must not be called'));
      await whileStarting({ isStarting: () => true, waitingFor: () => waitsFor })(ctx, next);
      texts.push((ctx.body as { readonly detail: string }).detail);
    }
    expect(texts).to.deep.equal([
      'The service is starting. Try again in a moment.',
      'The service is starting (waiting for Postgres). Try again in a moment.',
    ]);
  });
});
