import { expect } from 'chai';
import {
  type LastNotice,
  mailHealth,
  webhookHealth,
} from '../../../src/domain/accounts/dependency-health.js';
import { NOON } from '../../support/objects/builders.js';

describe('The health of a dependency', () => {
  it('is degraded for webhooks while an event failed, and off without a secret', () => {
    expect([webhookHealth(true, 0), webhookHealth(true, 1), webhookHealth(false, 1)]).to.deep.equal([
      ...['up', 'degraded', 'off'],
    ]);
  });

  it('is degraded for email after a notice that may not have been sent, and off without a mail server', () => {
    const healthAfter = (outcome: LastNotice['outcome']) => mailHealth(true, { outcome, at: NOON });
    expect(mailHealth(true, null)).to.equal('up');
    expect([healthAfter('sent'), healthAfter('refused')]).to.deep.equal(['up', 'up']);
    expect([healthAfter('put back'), healthAfter('in doubt')]).to.deep.equal(['degraded', 'degraded']);
    expect(mailHealth(false, { outcome: 'put back', at: NOON })).to.equal('off');
  });
});
