import { expect } from 'chai';
import { type WriteFacts, writeFinding } from '../../../src/doctor/rules/write-finding.js';

describe('Writes to a database', () => {
  const accepted: WriteFacts = { isStandby: false, isReadOnly: false, missingGrants: [], fault: null };
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [Partial<WriteFacts>, result: string, detail: RegExp])[] = [
    [{},                                                        'ok',     /accepted/],
    [{ isStandby: true, isReadOnly: true },                     'failed', /standby/],
    [{ isReadOnly: true, fault: 'read-only transaction' },      'failed', /database is read-only/],
    [{ missingGrants: ['insert on item'] },                     'failed', /missing: insert on item$/],
    [{ missingGrants: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },    'failed', /a, b, c, d, e and 2 more$/],
    [{ fault: 'could not extend file: No space left' },         'failed', /No space left/],
  ];
  for (const [facts, result, detail] of rows) {
    it(`${JSON.stringify(facts)} are ${result}`, () => {
      const finding = writeFinding({ ...accepted, ...facts });
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(detail);
    });
  }
});
