import { DAY, type Moment, plus } from '../moment.js';
import { type ApiKey, derivedState, type KeyId, type Suspension } from './api-key.js';

/**
 * The overlap of a key and its successor: both work (contract section 5.4, D23).
 *
 * It starts when a key is rotated. The successor is issued beside the older key, and the two count as one against the
 * allowance. While the overlap is open, neither can be rotated again (`rotation_open`). It ends when one of the two keys is
 * revoked; the other key stays as it is.
 *
 * States of an open overlap, in the fields of the successor:
 * - `unused` (`firstUsedAt` is null): both keys work, for any time. At `overlapEndsAt` the service checks whether a request
 *   with the successor was admitted: once in `OVERLAP`, so that no end is missed. Then the overlap is `used`, or stays `unused`
 *   until the next check.
 * - `used`: `overlapEndsAt` is 24 hours after the first use. Then the service acts by the table below: it retires the older key,
 *   or the overlap is `kept`.
 * - `kept` (`overlapEndsAt` is null): the service does nothing any more.
 *
 * Payments do not end an overlap. A suspension does not move a check or an end.
 */
export const OVERLAP = DAY;

/** The owner is reminded of a successor that is unused for this time. */
const UNUSED_MAX = 7 * DAY;

/** What the service does with the older key 24 hours after the first use, by the derived state of the successor. */
// biome-ignore format: a table is read by its columns
const WHEN_DUE: Readonly<Record<Suspension['status'], 'retire' | 'keep'>> = {
  active:    'retire', // The older key is revoked as rotated, and its grace window runs from that moment (`GRACE`).
  suspended: 'keep',   // The holder must not lose the older key while its successor does not work: the overlap stays open.
};

const isUnrevoked = (key: ApiKey): boolean => key.state.status !== 'revoked';

/** The older key of an open overlap, in which neither key is revoked. `key` is the successor. */
export const openPredecessor = (keys: readonly ApiKey[], key: ApiKey): ApiKey | undefined =>
  isUnrevoked(key) ? keys.find((other) => other.id === key.predecessor && isUnrevoked(other)) : undefined;

export const openSuccessor = (keys: readonly ApiKey[], key: ApiKey): ApiKey | undefined =>
  isUnrevoked(key) ? keys.find((other) => other.predecessor === key.id && isUnrevoked(other)) : undefined;

/** An overlap that the service will check or end at `at`. */
export type DueOverlap = { readonly successor: ApiKey; readonly older: ApiKey; readonly at: Moment };

/** The open overlaps at which the service will do something, the one that is due first at the beginning. */
export function dueOverlaps(keys: readonly ApiKey[]): readonly DueOverlap[] {
  return keys
    .flatMap((successor): readonly DueOverlap[] => {
      const older = openPredecessor(keys, successor);
      const at = successor.overlapEndsAt;
      return older === undefined || at === null ? [] : [{ successor, older, at }];
    })
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}

const isUsed = ({ successor }: DueOverlap): boolean => successor.firstUsedAt !== null;

/** Of the used overlaps, the one that ends first; null if there is none. */
export const firstEndingOverlap = (keys: readonly ApiKey[]): DueOverlap | null =>
  dueOverlaps(keys).find(isUsed) ?? null;

/** The successors of which the service must know by `now` whether they were used. */
export const uncheckedSuccessors = (keys: readonly ApiKey[], now: Moment): readonly KeyId[] =>
  dueOverlaps(keys)
    .filter((overlap) => !isUsed(overlap) && overlap.at <= now)
    .map(({ successor }) => successor.id);

/** The successor after a check. `firstUsedAt` is null if no request with it was admitted yet. */
export function checkedSuccessor(successor: ApiKey, firstUsedAt: Moment | null, now: Moment): ApiKey {
  if (firstUsedAt !== null) return { ...successor, firstUsedAt, overlapEndsAt: plus(firstUsedAt, OVERLAP) };
  let overlapEndsAt = successor.overlapEndsAt;
  while (overlapEndsAt !== null && overlapEndsAt <= now) overlapEndsAt = plus(overlapEndsAt, OVERLAP);
  return { ...successor, overlapEndsAt };
}

/** When the service retires the older key of an open overlap; null while the successor is unused, and if the overlap is kept. */
export const retiresAt = (successor: ApiKey, firstUsedAt: Moment | null): Moment | null =>
  successor.overlapEndsAt === null || firstUsedAt === null ? null : plus(firstUsedAt, OVERLAP);

/** Whether a check found that the key is an unused successor for `UNUSED_MAX`. */
export const isLongUnused = (keys: readonly ApiKey[], key: ApiKey): boolean =>
  openPredecessor(keys, key) !== undefined &&
  key.firstUsedAt === null &&
  key.overlapEndsAt !== null &&
  key.overlapEndsAt > plus(key.issuedAt, UNUSED_MAX);

/** Whether the service retires the older key of a used overlap that is due. `subscription` is the subscription's suspension. */
export function retiresOlder({ successor }: DueOverlap, subscription: Suspension): boolean {
  const { status } = derivedState(successor.state, subscription);
  return status !== 'revoked' && WHEN_DUE[status] === 'retire';
}
