import { DAY, type Moment } from '../moment.js';
import { type ApiKey, derivedState, type Suspension } from './api-key.js';

/**
 * The overlap of a key and its successor: both work (contract section 5.4, D23).
 *
 * It starts when a key is rotated. The successor is issued beside the older key, and the two count as one against the
 * allowance. While the overlap is open, neither can be rotated again (`rotation_open`).
 *
 * It ends when one of the two keys is revoked; the other key stays as it is. If neither is revoked 24 hours after the
 * rotation, the service checks the state of the successor once, and acts by the table below. Payments do not end an
 * overlap. A suspension does not move this check.
 */
export const OVERLAP = DAY;

/** What the service does with the older key 24 hours after the rotation, by the derived state of the successor. */
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

/** An overlap that the service will check at `at`. */
export type DueOverlap = { readonly successor: ApiKey; readonly older: ApiKey; readonly at: Moment };

/** Of the open overlaps that the service has not checked yet, the one that is due first; null if there is none. */
export function firstDueOverlap(keys: readonly ApiKey[]): DueOverlap | null {
  const due = keys.flatMap((successor): readonly DueOverlap[] => {
    const older = openPredecessor(keys, successor);
    const at = successor.overlapEndsAt;
    return older === undefined || at === null ? [] : [{ successor, older, at }];
  });
  return due.sort((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
}

/** Whether the service retires the older key of an overlap that is due. `subscription` is the subscription's suspension. */
export function retiresOlder({ successor }: DueOverlap, subscription: Suspension): boolean {
  const { status } = derivedState(successor.state, subscription);
  return status !== 'revoked' && WHEN_DUE[status] === 'retire';
}
