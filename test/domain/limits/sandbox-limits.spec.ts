import { expect } from 'chai';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import {
  accountInSandbox,
  addressInSandbox,
  whySandboxRefused,
} from '../../../src/domain/limits/sandbox-limits.js';

describe('The users of the sandbox', () => {
  it('are counted by account, and with the public key by address (D77)', () => {
    const account = accountInSandbox('acc_1' as AccountId);
    expect(account.subscription).to.equal('sandbox:acc_1');
    expect(addressInSandbox('192.0.2.1').subscription).to.equal('sandbox:public:192.0.2.1');
    expect(addressInSandbox('192.0.2.1').key).not.to.equal(addressInSandbox('192.0.2.2').key);
  });

  it('are refused for abuse and a hold, and not for unpaid invoices', () => {
    expect(whySandboxRefused([])).to.equal(null);
    expect(whySandboxRefused(['payment_failure'])).to.equal(null);
    expect(whySandboxRefused(['payment_failure', 'abuse', 'manual_hold'])).to.deep.equal({
      refused: 'key_suspended',
      causes: ['abuse', 'manual_hold'],
    });
  });
});
