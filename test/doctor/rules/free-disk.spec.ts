import { expect } from 'chai';
import { diskFinding } from '../../../src/doctor/rules/free-disk.js';

const MIB = 1_024 * 1_024;

describe('The disk of a folder', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    // what is stored, free, result
    ['a file',     1_000 * MIB, 'ok'],
    ['a file',     64 * MIB,    'ok'],
    ['a file',     63 * MIB,    'warning'],
    ['a file',     MIB - 1,     'failed'],
    ['a database', 5_000 * MIB, 'ok'],
    ['a database', 2_048 * MIB, 'ok'],
    ['a database', 2_047 * MIB, 'warning'],
    ['a database', 256 * MIB,   'warning'],
    ['a database', 255 * MIB,   'failed'],
  ] as const;
  const facts = { folder: '/data', totalBytes: 10_240 * MIB, isWritable: true };
  for (const [stored, freeBytes, result] of rows) {
    it(`for ${stored} with ${(freeBytes / MIB).toFixed(0)} MiB free is ${result}`, () => {
      const finding = diskFinding({ ...facts, freeBytes, hasDatabase: stored === 'a database' });
      expect(finding.result).to.equal(result);
    });
  }

  it('that the service may not write to has failed, however much is free', () => {
    const finding = diskFinding({ ...facts, freeBytes: 1e12, isWritable: false, hasDatabase: false });
    expect(finding.result).to.equal('failed');
    expect(finding.detail).to.include('/data');
  });

  it('is shown with its sizes', () => {
    expect(diskFinding({ ...facts, freeBytes: 100 * MIB, hasDatabase: false }).detail).to.equal(
      '100 MiB of 10.0 GiB are free in /data',
    );
  });
});
