import { type Destination, withSealedTexts } from '../../domain/destinations/destination.js';
import { isRefusal } from '../../domain/refusal.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { Sealing } from '../ports/destinations/sealing.js';

/** `unreadable`: no key of the setting has sealed them. */
export type SealedAnew = { readonly sealed: number; readonly unreadable: number };

/**
 * Seals URLs and secrets of all destinations with the first value of `SECRETS_KEY`, so that the former one can be removed (D68).
 * Writes only destinations that have a text under another key.
 */
export const sealDestinationsAnew = ({
  destinations,
  sealing,
}: {
  readonly destinations: Pick<Destinations, 'list' | 'change'>;
  readonly sealing: Sealing;
}) =>
  async function sealDestinationsAnew(): Promise<SealedAnew> {
    let [sealed, unreadable] = [0, 0];
    for (const { destination } of await destinations.list(Number.MAX_SAFE_INTEGER)) {
      const anew = sealedAnew(destination, sealing);
      if (anew === 'unreadable') unreadable += 1;
      if (typeof anew === 'string') continue;
      const changed = await destinations.change(destination.account, (all) => {
        const found = all.find(({ id }) => id === destination.id);
        const next = found === undefined ? 'current' : sealedAnew(found, sealing);
        if (typeof next === 'string') return { refused: 'not_found', what: 'destination' };
        return { id: next.id, next, entries: [] };
      });
      if (changed !== null && !isRefusal(changed)) sealed += 1;
    }
    return { sealed, unreadable };
  };

/** The destination with every text under the first key. */
function sealedAnew(destination: Destination, sealing: Sealing): Destination | 'current' | 'unreadable' {
  const found = { former: 0, unreadable: 0 };
  const target = withSealedTexts(destination.target, (text, field) => {
    if (sealing.isCurrent(text)) return text;
    const as = { destination: destination.id, field };
    const opened = sealing.open(text, as);
    found[opened.opened ? 'former' : 'unreadable'] += 1;
    return opened.opened ? sealing.seal(opened.text, as) : text;
  });
  if (found.unreadable > 0) return 'unreadable';
  return found.former > 0 ? { ...destination, target } : 'current';
}
