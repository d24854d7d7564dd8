import type { Admission, AdmitRequest } from '../../../application/limits/admit-request.js';
import { andThen, finallyDo, type MaybePromise } from '../../../application/maybe-promise.js';
import type { SentCredential } from '../keys/sent-keys.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import type { AddressRanges } from '../listener/client-address.js';

/**
 * The gateway checks (contract section 5.5) for the key of a request. Lookups of keys that were not admitted before are
 * bounded, because such keys may not exist. Returns `overloaded` at that bound.
 */
export const admitSentKey = (parts: {
  readonly admitRequest: AdmitRequest;
  /** Bounds requests with a key that was not admitted before. */
  readonly admitting: Bulkhead;
}) =>
  function admitSentKey(
    sent: SentCredential,
    { group: address, network, subnet }: AddressRanges,
    cost: 0 | 1,
  ): MaybePromise<Admission | 'overloaded'> {
    const { admitRequest, admitting } = parts;
    const key = typeof sent === 'string' ? null : sent;
    const caller = { key: typeof sent === 'string' ? sent : (key?.hash ?? null), address, network };
    const recordDecision = (admission: Admission) => {
      key?.recordDecision(admission);
      return admission;
    };
    if (key?.wasAdmitted) return andThen(admitRequest(caller, cost), recordDecision);
    if (!admitting.enter(subnet)) return 'overloaded';
    const admission = finallyDo(
      () => admitRequest(caller, cost),
      () => admitting.leave(subnet),
    );
    return andThen(admission, recordDecision);
  };

export type AdmitSentKey = ReturnType<typeof admitSentKey>;
