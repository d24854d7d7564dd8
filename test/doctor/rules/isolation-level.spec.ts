import { expect } from 'chai';
import { isolationFinding } from '../../../src/doctor/rules/isolation-level.js';

describe('The isolation level of the sessions', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    ['read committed', 'read committed',  'ok',     /^transactions are read committed$/],
    ['read committed', 'serializable',    'ok',     /the default of the database, serializable, applies to other programs/],
    ['serializable',   'serializable',    'failed', /are serializable: something .* drops the options/],
    ['repeatable read', 'read committed', 'failed', /are repeatable read/],
  ] as const;
  for (const [ofService, ofDatabase, result, detail] of rows) {
    it(`${ofService}, in a database with the default ${ofDatabase}, is ${result}`, () => {
      const finding = isolationFinding({ ofService, ofDatabase });
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(detail);
    });
  }
});
