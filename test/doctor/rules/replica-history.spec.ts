import { expect } from 'chai';
import { type ReplicaFacts, replicaFinding } from '../../../src/doctor/rules/replica-history.js';

describe('A replica', () => {
  const primary = { lastChange: 5_000, oldestChange: 100, markThere: 'aa' };
  const facts = { isStandby: true, lastChange: 4_990, mark: 'aa', primary };
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [title: string, ReplicaFacts, result: string, detail: RegExp])[] = [
    ['that follows the primary',             facts,                                                       'ok',      /10 changes behind/],
    ['with changes that the primary wrote since', { ...facts, lastChange: 5_001 },                        'ok',      /0 changes behind/],
    ['that lags',                            { ...facts, lastChange: 3_999 },                             'warning', /1001 changes behind/],
    ['that lags by less',                    { ...facts, lastChange: 4_000 },                             'ok',      /1000 changes behind/],
    ['with another mark',                    { ...facts, mark: 'bb' },                                    'failed',  /another history/],
    ['with a change that the primary lacks', { ...facts, lastChange: 6_000, primary: { ...primary, markThere: undefined } }, 'failed', /ends with change 6000.*another history/],
    ['older than the kept changes',          { ...facts, lastChange: 99, primary: { ...primary, markThere: undefined } },    'warning', /older than the changes/],
    ['with changes without marks, as of version 0.1.0', { ...facts, mark: null, primary: { ...primary, markThere: null } },  'ok', /changes behind/],
    ['that was promoted',                    { ...facts, isStandby: false },                              'failed',  /was promoted/],
  ];
  for (const [title, replica, result, detail] of rows) {
    it(`${title} is ${result}`, () => {
      const finding = replicaFinding(replica);
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(detail);
    });
  }
});
