import { expect } from 'chai';
import { linkCustomer, readCustomerId } from '../../../src/domain/billing/account-customer.js';
import { accepted, account, auditContext, NOON } from '../../support/objects/builders.js';

describe('The customer of an account at the processor (D42)', () => {
  const why = auditContext(NOON, 'operator', 'ticket 7');

  it('is linked once, and the audit log has actor and reason (D25)', () => {
    const from = account();
    const { next, entries } = accepted(linkCustomer(from, 'cus_1', why));
    expect(next).to.deep.equal({ ...from, processorCustomerId: 'cus_1' });
    expect(entries).to.deep.equal([{ ...why, event: 'linked', key: null }]);
  });

  it('can be linked again, which changes nothing and adds no entry', () => {
    const linked = accepted(linkCustomer(account(), 'cus_1', why)).next;
    expect(linkCustomer(linked, 'cus_1', why)).to.deep.equal({ next: linked, entries: [] });
  });

  it('is permanent: another one is refused', () => {
    const linked = accepted(linkCustomer(account(), 'cus_1', why)).next;
    for (const other of ['cus_2', 'CUS_1', '']) {
      expect(linkCustomer(linked, other, why), other).to.deep.equal({ refused: 'account_linked' });
    }
  });
});

describe('The id of a customer that an operator types', () => {
  it('is trimmed, and has 1 to 256 readable characters', () => {
    expect(readCustomerId(' cus_1 ')).to.equal('cus_1');
    for (const text of ['', '  ', 'x'.repeat(257), 'a\u0000b']) {
      expect(readCustomerId(text), text).to.have.property('refused', 'invalid_body');
    }
  });
});
