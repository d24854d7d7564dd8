import { Socket } from 'node:net';
import { expect } from 'chai';
import { ConnectionHashes } from '../../../src/adapters/http/keys/connection-hashes.js';
import { sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import type { Admission } from '../../../src/application/limits/admit-request.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { refuse } from '../../../src/domain/refusal.js';

const KEY = `svc_${'B'.repeat(42)}A`;
const id = 'key_1' as KeyId;
const ADMITTED: Admission = { admitted: true, key: id, plan: 'free', limits: [], places: [] };
const refused = (
  key: KeyId | null,
  refusal: 'key_revoked' | 'key_unknown' | 'payment_required',
): Admission => ({
  admitted: false,
  key,
  refusal: refuse(refusal),
  limits: [],
});

describe('A key that was admitted before', () => {
  const format = keyFormat('svc_');
  const sentOn = (hashes: ConnectionHashes) => {
    const sent = hashes.of(new Socket(), KEY, format);
    if (sent === null) throw new Error('not a key');
    return sent;
  };

  for (const [words, admission, isKnown] of [
    ['is known on every connection', ADMITTED, true],
    ['stays known while its subscription is not paid', refused(id, 'payment_required'), true],
    ['is not known any more once it was revoked', refused(id, 'key_revoked'), false],
    ['is not known any more once nobody has it', refused(null, 'key_unknown'), false],
  ] as const) {
    it(words, () => {
      const hashes = new ConnectionHashes(sha256OfKey);
      const first = sentOn(hashes);
      expect(first.wasAdmitted).to.equal(false);
      hashes.decided(first, ADMITTED);
      hashes.decided(first, admission);
      expect([first.wasAdmitted, sentOn(hashes).wasAdmitted]).to.deep.equal([isKnown, isKnown]);
    });
  }
});
