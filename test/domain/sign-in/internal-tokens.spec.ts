import { expect } from 'chai';
import fc from 'fast-check';
import { TOKEN_LENGTH_MIN, tokenFaults } from '../../../src/domain/sign-in/internal-tokens.js';

const long = (end: string) => 'x'.repeat(TOKEN_LENGTH_MIN - end.length) + end;

describe('A token of the internal listener', () => {
  it('is not checked if it is undefined', () => {
    expect(tokenFaults({ operator: undefined, publisher: undefined })).to.deep.equal([]);
    expect(tokenFaults({ operator: long('o'), publisher: undefined })).to.deep.equal([]);
  });

  it('has at least 20 characters', () => {
    expect(TOKEN_LENGTH_MIN).to.equal(20);
    const short = 'x'.repeat(19);
    expect(tokenFaults({ operator: short, publisher: long('p') })).to.deep.equal([
      { fault: 'too short', role: 'operator' },
    ]);
    expect(tokenFaults({ operator: undefined, publisher: short })).to.deep.equal([
      { fault: 'too short', role: 'publisher' },
    ]);
  });

  it('must differ from that of the other role, and all faults are returned', () => {
    expect(tokenFaults({ operator: 'o', publisher: 'o' })).to.deep.equal([
      { fault: 'too short', role: 'operator' },
      { fault: 'too short', role: 'publisher' },
      { fault: 'equal' },
    ]);
  });

  it('may have any content if it is long enough and differs from the other one', () => {
    const token = fc.string({ minLength: TOKEN_LENGTH_MIN });
    fc.assert(
      fc.property(token, token, (operator, publisher) => {
        expect(tokenFaults({ operator, publisher }).length === 0).to.equal(operator !== publisher);
      }),
    );
  });
});
