import { expect } from 'chai';
import {
  compareVersions,
  newestVersion,
  type SchemaFit,
  schemaFit,
} from '../../../src/adapters/postgres/schema-fit.js';

/** A version 0.2.0 that knows the migrations `a` and `b`, on the schemas of other versions. */
// biome-ignore format: a table is read by its columns
const ROWS: readonly (readonly [what: string, made: string, oldestVersion: string | null, fit: SchemaFit | string])[] = [
  ['an empty database',                     '',      null,     { fit: 'known', pending: ['a', 'b'] }],
  ['an older schema',                       'a',     '0.1.0',  { fit: 'known', pending: ['b'] }],
  ['its own schema',                        'a b',   '0.1.0',  { fit: 'known', pending: [] }],
  ['its own schema, without a stored version', 'a b', null,    { fit: 'known', pending: [] }],
  ['a newer schema, additive',              'a b c', '0.1.0',  { fit: 'newer', newer: ['c'] }],
  ['a newer schema, additive twice',        'a b c d', '0.1.0', { fit: 'newer', newer: ['c', 'd'] }],
  ['a newer schema that needs this version', 'a b c', '0.2.0', { fit: 'newer', newer: ['c'] }],
  ['a newer schema, without a stored version', 'a b c', null,  { fit: 'newer', newer: ['c'] }],
  ['a newer schema, breaking',              'a b c', '0.2.1',  'needs version 0.2.1 or later; this is version 0.2.0'],
  ['a breaking schema, compared by numbers', 'a b c', '0.10.0', 'needs version 0.10.0 or later; this is version 0.2.0'],
  ['a breaking schema without one of its migrations', 'a c', '0.3.0', 'needs version 0.3.0 or later; this is version 0.2.0'],
  ['the schema of another branch',          'a c',   '0.1.0',  'does not know (c) and lacks others (b)'],
];

describe('Whether a version may run on a schema', () => {
  for (const [what, applied, oldestVersion, expected] of ROWS) {
    const outcome = typeof expected === 'string' ? 'refused' : expected.fit;
    it(`is decided for ${what}: ${outcome}`, () => {
      const names = applied.split(' ').filter((name) => name !== '');
      const found = schemaFit('0.2.0', ['a', 'b'], { applied: names, oldestVersion });
      if (typeof expected === 'string') expect(found).to.have.property('reason').that.includes(expected);
      else expect(found).to.deep.equal(expected);
    });
  }
});

describe('Versions', () => {
  const ORDERED = ['0.1.0', '0.1.9', '0.1.10', '0.2.0', '0.9.9', '0.10.0', '1.0.0', '9.9.9', '10.0.0'];

  it('are compared as numbers, not as texts', () => {
    for (const [i, one] of ORDERED.entries()) {
      for (const [j, other] of ORDERED.entries()) {
        expect(Math.sign(compareVersions(one, other)), `${one} and ${other}`).to.equal(Math.sign(i - j));
      }
    }
  });

  it('are compared without their suffix, because a release candidate has the code of its release', () => {
    expect(compareVersions('0.2.0-rc.1', '0.2.0')).to.equal(0);
    expect(compareVersions('0.2.0+build.7', '0.2.1')).to.be.below(0);
  });

  it('that are malformed throw an error', () => {
    for (const text of ['', '1', '1.2', '1.2.x', 'v1.2.3', '1.2.3.4']) {
      expect(() => compareVersions(text, '1.2.3'), text).to.throw('is not a version');
    }
  });

  it('have the same newest one in any order; an empty list has none', () => {
    expect(newestVersion(['0.9.0', '0.10.0', '0.2.0'])).to.equal('0.10.0');
    expect(newestVersion([])).to.equal(null);
  });
});
