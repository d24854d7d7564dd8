import { expect } from 'chai';
import { openPortal } from '../../../src/application/billing/open-portal.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { account } from '../../support/objects/builders.js';

describe('The billing portal', () => {
  const BACK = 'https://oddswire.example/dashboard/subscription';
  const opening = (email: string | null, isKnown = true) => {
    const opened: string[] = [];
    const open = openPortal({
      portal: {
        emailOf: async () => email,
        open: async (customer, returnUrl) => {
          opened.push(customer);
          return isKnown ? `https://pay.example/${customer}?back=${returnUrl}` : null;
        },
      },
    });
    return { open, opened };
  };
  const holder: Account = { ...account(), email: 'ann.öst@example.org', processorCustomerId: 'cus_1' };

  it('opens for an account with the email address of the customer, in any letter case', async () => {
    for (const email of ['ann.öst@example.org', 'Ann.ÖST@Example.ORG']) {
      const url = `https://pay.example/cus_1?back=${BACK}`;
      expect(await opening(email).open(holder, BACK)).to.deep.equal({ outcome: 'opened', url });
    }
  });

  it('does not open for another address, nor if the customer has none, was deleted or is not known', async () => {
    for (const email of [
      'payer@example.org',
      'ann.öst@example.org.evil.example',
      ' ann.öst@example.org',
      '',
      null,
    ]) {
      const { open, opened } = opening(email);
      expect([email, await open(holder, BACK)]).to.deep.equal([email, { outcome: 'another email' }]);
      expect(opened).to.deep.equal([]);
    }
  });

  it('does not open for an address that is the same only after unsafe folding: accounts have none (D42)', async () => {
    const kim: Account = { ...holder, email: 'kim@example.org' };
    expect(await opening('\u212Aim@example.org').open(kim, BACK)).to.deep.equal({ outcome: 'another email' });
    // An account from before that rule matches only the identical text.
    const known: Account = { ...holder, email: 'strasse\u00DF@example.org' };
    expect(await opening(known.email).open(known, BACK)).to.include({ outcome: 'opened' });
  });

  it('does not open for an account without a customer, or whose customer was deleted in the meantime', async () => {
    const nobody = { ...holder, processorCustomerId: null };
    expect(await opening(holder.email).open(nobody, BACK)).to.deep.equal({ outcome: 'no customer' });
    expect(await opening(holder.email, false).open(holder, BACK)).to.deep.equal({ outcome: 'no customer' });
  });
});
