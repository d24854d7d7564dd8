import { expect } from 'chai';
import { EnvironmentReader } from '../../src/settings/environment.js';

const reader = (value?: string) => new EnvironmentReader({ NAME: value });

describe('A reader of the environment', () => {
  it('takes an empty setting for an absent one', () => {
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
    it(`reads no whole number from 1 to 9 in “${value}”, and goes on with the default`, () => {
      const read = reader(value);
      expect(read.whole('NAME', 5, 1, 9)).to.equal(5);
      expect(read.faults).to.have.length(1);
    });
  }

  it('remembers every fault in the order it was found', () => {
    const read = new EnvironmentReader({ A: 'x', B: 'y', C: 'z' });
    read.whole('A', 1, 1, 2);
    read.flag('B', true);
    read.refuse('C is not for you');
    read.oneOf('C', 'a', ['a', 'b']);
    expect(read.faults).to.deep.equal([
      'A must be a whole number from 1 to 2, and is "x"',
      'B must be 1 or 0, and is "y"',
      'C is not for you',
      'C must be one of a, b, and is "z"',
    ]);
  });

  it('shows a value so that what cannot be seen is seen', () => {
    const read = reader('1\n');
    read.whole('NAME', 1, 1, 2);
    expect(read.faults).to.deep.equal(['NAME must be a whole number from 1 to 2, and is "1\\n"']);
  });

  for (const value of ['a b', ' a', 'a\n', 'ä', '\u007f', '\u0000']) {
    it(`takes no secret that a header could not carry, and never tells it: ${JSON.stringify(value)}`, () => {
      const read = reader(value);
      expect(read.secret('NAME')).to.equal(undefined);
      expect(read.faults).to.deep.equal(['NAME must be printable ASCII without spaces']);
    });
  }
});
