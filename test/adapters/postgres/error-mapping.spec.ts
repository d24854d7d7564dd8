import { expect } from 'chai';
import { isUnavailable, withErrorMapping } from '../../../src/adapters/postgres/unavailable-database.js';
import { NotNow, Unavailable, Unwritable } from '../../../src/application/unavailable.js';

const faultWith = (code: string) => Object.assign(new Error('what Postgres says'), { code });

async function kindOf(code: string): Promise<string> {
  const fault: unknown = await withErrorMapping(() => Promise.reject(faultWith(code))).catch(
    (thrown) => thrown,
  );
  if (fault instanceof Unwritable) return 'unwritable';
  if (fault instanceof NotNow) return 'not now';
  return fault instanceof Unavailable ? 'unavailable' : 'bug';
}

describe('An error from Postgres', () => {
  // biome-ignore format: a table is read by its columns
  const kinds = {
    'unavailable': ['08000', '08003', '08006', '42P01', '53000', '53200', '53300', '57P02', '57P03', '57P04', '58030', 'ECONNREFUSED', 'ETIMEDOUT'],
    'not now':     ['25P03', '25P04', '40001', '40P01', '55P03', '57014', '57P01'],
    'unwritable':  ['25006', '42501', '53100'],
    'bug':         ['22P05', '23505', '25P02', '28P01', '3D000', '40002', '42601', '54000', '57000', 'XX000', 'EACCES'],
  } as const;
  for (const [kind, codes] of Object.entries(kinds)) {
    for (const code of codes) {
      it(`with the code ${code} is classified as: ${kind}`, async () => {
        expect(await kindOf(code)).to.equal(kind);
        expect(isUnavailable(faultWith(code))).to.equal(kind !== 'bug');
      });
    }
  }

  it('becomes the cause of the mapped error, which states why a write is refused', async () => {
    const cause = faultWith('25006');
    const fault: unknown = await withErrorMapping(() => Promise.reject(cause)).catch((thrown) => thrown);
    expect(fault).to.include({ cause, reason: 'it is read-only' });
    expect(String(fault)).to.equal('Unwritable: Postgres cannot be written to: it is read-only');
  });
});
