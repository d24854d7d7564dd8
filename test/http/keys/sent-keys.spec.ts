import { Socket } from 'node:net';
import { expect } from 'chai';
import { SentKeys } from '../../../src/adapters/http/keys/sent-keys.js';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import type { Admission } from '../../../src/application/limits/admit-request.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { refuse } from '../../../src/domain/refusal.js';

const KEY = `svc_${'B'.repeat(42)}A`;
const id = 'key_1' as KeyId;
const ADMITTED: Admission = {
  admitted: true,
  key: id,
  subscription: 'sub_1' as SubscriptionId,
  plan: 'free',
  limits: [],
  own: null,
  receipt: null,
};
const refused = (
  key: KeyId | null,
  refusal: 'key_revoked' | 'key_unknown' | 'payment_required',
): Admission => ({
  admitted: false,
  plan: null,
  key,
  refusal: refuse(refusal),
  limits: [],
});

describe('A key that was admitted before', () => {
  const newSentKeys = () =>
    new SentKeys({
      hashKey: sha256OfKey,
      keyFormat: keyFormat('svc_'),
      queryKeyAllowed: false,
      connections: new Connections(0),
    });
  const sentOn = (keys: SentKeys) => {
    const sent = keys.of(new Socket(), { apiKeys: [KEY], authorizations: null }, '');
    if (sent === null || sent === 'malformed') throw new Error('not a key');
    return sent;
  };

  for (const [title, admission, isKnown] of [
    ['counts as admitted on every connection', ADMITTED, true],
    ['still counts as admitted while its subscription is unpaid', refused(id, 'payment_required'), true],
    ['no longer counts as admitted once it was revoked', refused(id, 'key_revoked'), false],
    ['no longer counts as admitted once it does not exist', refused(null, 'key_unknown'), false],
  ] as const) {
    it(title, () => {
      const keys = newSentKeys();
      const first = sentOn(keys);
      expect(first.wasAdmitted).to.equal(false);
      first.recordDecision(ADMITTED);
      first.recordDecision(admission);
      expect([first.wasAdmitted, sentOn(keys).wasAdmitted]).to.deep.equal([isKnown, isKnown]);
    });
  }
});
