import { expect } from 'chai';
import {
  CONTINUE_AFTER,
  EXPORT_CHUNK_BYTES,
  isTooSlow,
} from '../../../../src/domain/feed/history/export-end.js';

describe('The end of an export', () => {
  it('never comes for a client that accepts 256 KB while the export waits for it, one chunk of them in part', () => {
    const framing = 20;
    expect([0, 1, 131_071].map(isTooSlow)).to.deep.equal([true, true, true]);
    expect(isTooSlow(262_144 - (EXPORT_CHUNK_BYTES + framing))).to.equal(false);
  });

  it('always says after how many seconds the client may continue', () => {
    for (const seconds of Object.values(CONTINUE_AFTER)) expect(seconds).to.be.within(1, 60);
  });
});
