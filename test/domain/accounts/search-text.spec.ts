import { expect } from 'chai';
import { isProcessorId, readSearchText } from '../../../src/domain/accounts/search-text.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';

const FORMAT = keyFormat('svc_');
const SUFFIX = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ';

describe('A text that an operator searches for', () => {
  it('may be an id, the beginning of a key, and a part of an email address', () => {
    expect(readSearchText(' acc_1 ', FORMAT)).to.deep.equal({
      keyPrefix: 'acc_1',
      id: 'acc_1',
      emailPart: 'acc_1',
    });
    expect(readSearchText('@example.org', FORMAT)?.emailPart).to.equal('example.org');
  });

  it('is nothing but the first 12 characters if it has a key (D19)', () => {
    for (const text of [`svc_${SUFFIX}`, 'svc_abc'])
      expect(readSearchText(text, FORMAT), text).to.deep.equal({
        ...{ keyPrefix: text.slice(0, 12), id: null, emailPart: null },
      });
    expect(readSearchText(`key: svc_${SUFFIX}`, FORMAT)?.id).to.equal(null);
  });

  it('is no part of an address if it is shorter than three characters, and no id if it cannot be stored', () => {
    expect(readSearchText('ab', FORMAT)).to.deep.include({ id: 'ab', emailPart: null });
    for (const text of ['a\u0000bc', 'a\ud800bc', 'x'.repeat(301)])
      expect(readSearchText(text, FORMAT)).to.deep.include({ id: null, emailPart: null });
  });

  it('is nothing if it is empty', () => {
    expect(readSearchText('  ', FORMAT)).to.equal(null);
  });

  it('may be an id of the payment processor if it is a kind and an id with a digit', () => {
    const ids = ['cs_test_a1B2', 'cus_9', `ref_1772366400_acc_${'0'.repeat(24)}_${SUFFIX}`];
    expect(ids.filter(isProcessorId)).to.deep.equal(ids);
    expect(['active', 'payment_method', 'ada@x1.org', '42', 'a_1 b'].filter(isProcessorId)).to.deep.equal([]);
  });
});
