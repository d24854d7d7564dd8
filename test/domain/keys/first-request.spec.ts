import { expect } from 'chai';
import { firstRequestOf } from '../../../src/domain/keys/first-request.js';
import type { StatusClass } from '../../../src/domain/limits/usage.js';
import { keyId, moment } from '../../support/objects/builders.js';

const [KEY, OTHER] = [keyId('new'), keyId('other')];
const USED = moment('2026-03-01T02:15:00Z');

describe('The first request with a new key', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, classes: readonly StatusClass[], isUsed: boolean, expected: string])[] = [
    ['is waited for without any request',                    [],             false, 'waiting'],
    ['was answered with 2xx',                                ['2xx'],        true,  'answered 2xx'],
    ['was answered with 2xx, whatever came before',          ['4xx', '2xx'], true,  'answered 2xx'],
    ['was answered with 304',                                ['3xx'],        true,  'answered 3xx'],
    ['was refused',                                          ['4xx'],        false, 'refused'],
    ['was admitted and had an invalid parameter',            ['4xx'],        true,  'refused'],
    ['is waited for while the time of its use is not known', ['2xx'],        false, 'waiting'],
    ['is waited for after an error of the service',          ['5xx'],        true,  'waiting'],
  ];
  for (const [title, classes, isUsed, expected] of cases) {
    it(title, () => {
      const counts = classes.map((statusClass) => ({ key: KEY, hour: USED, statusClass, requests: 1 }));
      const first = firstRequestOf(counts, KEY, isUsed ? USED : null);
      expect(first.state === 'answered' ? `answered ${first.statusClass}` : first.state).to.equal(expected);
      if (first.state === 'answered') expect(first.at).to.equal(USED);
      expect(firstRequestOf(counts, OTHER, null)).to.deep.equal({ state: 'waiting' });
    });
  }
});
