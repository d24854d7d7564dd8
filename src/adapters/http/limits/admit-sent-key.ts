import type { Admission, AdmitRequest } from '../../../application/limits/admit-request.js';
import { andThen, finallyDo, type MaybePromise } from '../../../application/maybe-promise.js';
import type { Sent } from '../keys/sent-keys.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import type { AddressRanges } from '../listener/client-address.js';

/**
 * Contract section 5.5 for a key that was sent. Look-ups of keys that were not admitted before are bounded:
 * such a key may be one that nobody has. `overloaded` stands for one look-up too many.
 */
export const admitSentKey = (parts: {
  readonly admitRequest: AdmitRequest;
  /** Requests that are not admitted yet. */
  readonly admitting: Bulkhead;
}) =>
  function admitSentKey(
    sent: Sent,
    { group: address, network, subnet }: AddressRanges,
    cost: 0 | 1,
  ): MaybePromise<Admission | 'overloaded'> {
    const { admitRequest, admitting } = parts;
    const key = typeof sent === 'string' ? null : sent;
    const caller = { key: typeof sent === 'string' ? sent : (key?.hash ?? null), address, network };
    const decided = (admission: Admission) => {
      key?.decided(admission);
      return admission;
    };
    if (key?.wasAdmitted) return andThen(admitRequest(caller, cost), decided);
    if (!admitting.enter(subnet)) return 'overloaded';
    const admission = finallyDo(
      () => admitRequest(caller, cost),
      () => admitting.leave(subnet),
    );
    return andThen(admission, decided);
  };

export type AdmitSentKey = ReturnType<typeof admitSentKey>;
