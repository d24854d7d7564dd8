import { expect } from 'chai';
import fc from 'fast-check';
import { ignoredParameters, isRepeatable } from '../../src/domain/ignored-parameters.js';
import { keyFormat } from '../../src/domain/keys/key-value.js';
import { runs } from '../support/objects/builders.js';

const keys = keyFormat('svc_');
const KNOWN = new Set(['limit', 'api_key']);
const ignored = (...names: readonly string[]) =>
  ignoredParameters(
    names.map((name) => ({ name })),
    KNOWN,
    keys,
  );
const numbered = (n: number) => Array.from({ length: n }, (_, i) => `p${String(i).padStart(2, '0')}`);

describe('The parameters that an answer lists as ignored (D13)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [why: string, sent: readonly string[], listed: readonly string[]])[] = [
    ['none of a request without parameters',                    [],                              []],
    ['none of a request with known ones',                       ['limit', 'api_key', 'limit'],   []],
    ['an unknown one beside a known one',                       ['limit', 'zone'],               ['zone']],
    ['each once, sorted',                                       ['b', 'a', 'b', 'C'],            ['C', 'a', 'b']],
    ['a known one in another letter case',                      ['LIMIT', 'Limit'],              ['LIMIT', 'Limit']],
    ['names of objects',                                        ['constructor', '__proto__'],    ['__proto__', 'constructor']],
    ['every character that may be repeated',                    ['aZ09_.-'],                     ['aZ09_.-']],
    ['a name of 32 characters',                                 ['a'.repeat(32)],                ['a'.repeat(32)]],
    ['not a longer one, which is not cut',                      ['a'.repeat(33), 'b'],           ['b']],
    ['not the empty name',                                      ['', 'b'],                       ['b']],
    ['not one with a space, a comma, a line or a quotation',    ['a b', 'a,b', 'a\r\nb', '"'],   []],
    ['not one with a letter of another alphabet',               ['größe', 'ａ'],                  []],
    ['not one that ends with a line feed',                      ['a\n'],                         []],
    ['not one with a percent sign',                             ['%73vc_'],                      []],
    ['not the beginning of a key, in any letter case',          [`svc_${'A'.repeat(16)}`, `a.SVC_${'b'.repeat(20)}`], []],
    ['a name that begins like a key, and is too short for one', ['svc_AAAA'],                    ['svc_AAAA']],
    ['ten names',                                               numbered(10).reverse(),          numbered(10)],
    ['the first ten of more, by their order',                   numbered(12).reverse(),          numbered(10)],
    ['ten names beside some that are left out',                 ['a b', ...numbered(10), ''],    numbered(10)],
  ];
  for (const [why, sent, listed] of rows) {
    it(`are ${why}`, () => {
      expect(ignored(...sent)).to.deep.equal(listed);
    });
  }

  it('are names that a header can have, and nothing like a key, for any names', () => {
    const name = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_.%-]{0,40}$/), fc.constant('svc_'));
    const names = fc.array(
      fc.oneof(
        name,
        fc.tuple(name, name).map(([a, b]) => a + b),
      ),
    );
    fc.assert(
      fc.property(names, (sent) => {
        const listed = ignored(...sent);
        expect(listed.join(', ')).to.match(/^[A-Za-z0-9_., -]{0,340}$/);
        for (const one of listed) {
          expect(isRepeatable(one, keys)).to.equal(true);
          expect(keys.redact(one)).to.equal(one);
        }
      }),
      runs(300),
    );
  });
});
