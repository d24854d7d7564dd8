import type { Admission, AdmitRequest } from '../../../application/limits/admit-request.js';
import { andThen, finallyDo, type MaybePromise } from '../../../application/maybe-promise.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import { isUnrevokedKey, type SentCredential, type SentKey } from '../keys/sent-keys.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import type { AddressRanges } from '../listener/client-address.js';

type Parts = {
  readonly admitRequest: AdmitRequest;
  /** Bounds requests with a key that was not admitted before. */
  readonly admitting: Bulkhead;
  /** Called with each decision, for metrics. */
  readonly note: (admission: Admission | 'overloaded') => void;
};

/**
 * The gateway checks (contract section 5.5) for the key of a request. Lookups of keys that were not admitted before are
 * bounded, because such keys may not exist. Returns `overloaded` at that bound.
 *
 * Requests that arrive while the first request with their key is decided wait for that decision. If the key exists, the
 * bound does not apply to them: a customer that opens many connections at once needs one look-up, not one for each.
 */
export const admitSentKey = ({ admitRequest, admitting, note }: Parts) => {
  /** Whether the key exists, by keys whose first request is being decided. */
  const deciding = new Map<KeyHash, Promise<boolean>>();

  const bounded = (subnet: string, admit: () => MaybePromise<Admission>) => {
    if (admitting.enter(subnet)) return finallyDo(admit, () => admitting.leave(subnet));
    note('overloaded');
    return 'overloaded';
  };

  /** Other requests with this key wait for the admission, unless it is decided at once. */
  const first = ({ hash }: SentKey, admission: MaybePromise<Admission> | 'overloaded') => {
    if (!(admission instanceof Promise) || deciding.has(hash)) return admission;
    const isExisting = admission.then(isUnrevokedKey, () => false).finally(() => deciding.delete(hash));
    deciding.set(hash, isExisting);
    return admission;
  };

  return function admitSentKey(
    sent: SentCredential,
    { address: source, group: address, network, subnet }: AddressRanges,
    cost: 0 | 1,
  ): MaybePromise<Admission | 'overloaded'> {
    const key = typeof sent === 'string' ? null : sent;
    const caller = { key: typeof sent === 'string' ? sent : (key?.hash ?? null), address, source, network };
    const admit = () =>
      andThen(admitRequest(caller, cost), (admission) => {
        key?.recordDecision(admission);
        note(admission);
        return admission;
      });
    if (key === null) return bounded(subnet, admit);
    if (key.wasAdmitted) return admit();
    const earlier = deciding.get(key.hash);
    if (earlier === undefined) return first(key, bounded(subnet, admit));
    return earlier.then((isExisting) => (isExisting ? admit() : first(key, bounded(subnet, admit))));
  };
};

export type AdmitSentKey = ReturnType<typeof admitSentKey>;
