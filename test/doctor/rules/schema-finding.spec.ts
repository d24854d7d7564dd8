import { expect } from 'chai';
import { type SchemaFacts, schemaFinding } from '../../../src/doctor/rules/schema-finding.js';

describe('The schema of a database', () => {
  const known = (applied: number, ...pending: readonly string[]): SchemaFacts => ({
    fit: 'known',
    applied,
    pending,
  });
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [title: string, SchemaFacts, migrates: boolean, result: string, detail: RegExp])[] = [
    ['of this version',              known(9),                                       true,  'ok',      /all 9 migrations/],
    ['of this version',              known(9),                                       false, 'ok',      /all 9 migrations/],
    ['without tables',               known(0, 'a', 'b'),                             true,  'ok',      /creates them/],
    ['without tables',               known(0, 'a', 'b'),                             false, 'failed',  /does not start/],
    ['of an older version',          known(7, 'a', 'b'),                             true,  'warning', /not applied: a, b/],
    ['of an older version',          known(7, 'a', 'b'),                             false, 'failed',  /not applied: a, b.*MIGRATE is off/],
    ['of a newer, compatible version', { fit: 'newer', newer: ['c'] },               true,  'ok',      /newer version applied c/],
    ['of a newer version',           { fit: 'refused', reason: 'needs 0.9.0' },      true,  'failed',  /needs 0\.9\.0/],
  ];
  for (const [title, facts, migrates, result, detail] of rows) {
    it(`${title} is ${result} with MIGRATE=${migrates ? 'on' : 'off'}`, () => {
      const finding = schemaFinding(facts, migrates);
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(detail);
    });
  }
});
