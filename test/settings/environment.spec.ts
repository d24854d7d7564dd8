import { expect } from 'chai';
import { EnvironmentReader } from '../../src/settings/environment.js';

const reader = (value?: string) => new EnvironmentReader({ NAME: value });

describe('A reader of the environment', () => {
  it('treats an empty setting as absent', () => {
    expect(reader('').given('NAME')).to.equal(undefined);
    expect(reader().given('NAME')).to.equal(undefined);
    expect(reader(' ').given('NAME')).to.equal(' ');
    expect(reader('').whole('NAME', 5, 1, 9)).to.equal(5);
    expect(reader('').flag('NAME', true)).to.equal(true);
    expect(reader('').secret('NAME')).to.equal(undefined);
  });

  for (const [value, number] of [
    ['1', 1],
    ['9', 9],
    ['007', 7],
  ] as const) {
    it(`reads “${value}” as a whole number`, () => {
      expect(reader(value).whole('NAME', 5, 1, 9)).to.equal(number);
    });
  }

  for (const value of [
    '0',
    '10',
    '-1',
    '+1',
    '1.0',
    '1e0',
    '0x1',
    ' 1',
    '١',
    'NaN',
    'Infinity',
    '9'.repeat(16),
  ]) {
    it(`refuses “${value}” as a whole number from 1 to 9 and returns the default`, () => {
      const read = reader(value);
      expect(read.whole('NAME', 5, 1, 9)).to.equal(5);
      expect(read.faults).to.have.length(1);
    });
  }

  it('collects every fault in the order of reading', () => {
    const read = new EnvironmentReader({ A: 'x', B: 'y', C: 'z' });
    read.whole('A', 1, 1, 2);
    read.flag('B', true);
    read.refuse('C is not for you');
    read.oneOf('C', 'a', ['a', 'b']);
    expect(read.faults).to.deep.equal([
      'A must be a whole number from 1 to 2, but it is "x"',
      'B must be 1 or 0, but it is "y"',
      'C is not for you',
      'C must be one of a, b, but it is "z"',
    ]);
  });

  it('shows invisible characters of a value', () => {
    const read = reader('1\n');
    read.whole('NAME', 1, 1, 2);
    expect(read.faults).to.deep.equal(['NAME must be a whole number from 1 to 2, but it is "1\\n"']);
  });

  for (const value of ['a b', ' a', 'a\n', 'ä', '\u007f', '\u0000']) {
    it(`refuses the secret ${JSON.stringify(value)}, which a header cannot carry, without showing it`, () => {
      const read = reader(value);
      expect(read.secret('NAME')).to.equal(undefined);
      expect(read.faults).to.deep.equal(['NAME must be printable ASCII without spaces']);
    });
  }
});
