import { expect } from 'chai';
import {
  type ExternalAnswer,
  type ExternalServer,
  externalFinding,
} from '../../../src/doctor/rules/external-answer.js';

describe('The answer of an external server', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [ExternalServer, ExternalAnswer['answer'], result: string, advice: RegExp])[] = [
    ['mail server',     'credentials refused', 'failed',  /user name and the password in SMTP_URL/],
    ['mail server',     'encryption refused',  'failed',  /SMTP_ALLOW_PLAIN=1/],
    ['mail server',     'unreachable',         'failed',  /host and port in SMTP_URL/],
    ['Stripe',          'credentials refused', 'failed',  /STRIPE_API_KEY/],
    ['Stripe',          'permission missing',  'warning', /read permission on events/],
    ['Stripe',          'unreachable',         'failed',  /STRIPE_API_URL/],
    ['OpenID provider', 'wrong issuer',        'failed',  /exactly as the discovery document/],
    ['OpenID provider', 'unreachable',         'failed',  /openid-configuration/],
    ['GitHub',          'unreachable',         'failed',  /GITHUB_API_URL/],
    // An answer that a server does not give: never without advice.
    ['GitHub',          'credentials refused', 'failed',  /GITHUB_API_URL/],
  ];
  for (const [name, answer, result, advice] of rows) {
    it(`"${answer}" of ${name} is ${result}, with what to do`, () => {
      const finding = externalFinding(name, 'host.example', { answer, reason: 'HTTP 400' } as ExternalAnswer);
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(/^host\.example: .+: HTTP 400$/);
      expect(finding.advice).to.match(advice);
    });
  }

  it('that it accepts the request is well', () => {
    expect(externalFinding('Stripe', 'api.stripe.com', { answer: 'accepted' })).to.deep.equal({
      result: 'ok',
      detail: 'api.stripe.com accepts requests',
      advice: null,
    });
  });
});
