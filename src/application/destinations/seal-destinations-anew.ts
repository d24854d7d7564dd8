import { type Destination, withSealedTexts } from '../../domain/destinations/destination.js';
import { isRefusal } from '../../domain/refusal.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { Sealing } from '../ports/destinations/sealing.js';

/** `left`: have a text that the first key has not sealed, and that no key opens, or that was written meanwhile. */
export type SealedAnew = { readonly sealed: number; readonly left: number };

/**
 * Seals URLs and secrets of all destinations with the first value of `SECRETS_KEY` (D68). Writes only destinations that have a text
 * under another key. At the end all are read again, because an instance with the former setting could have stored some.
 */
export const sealDestinationsAnew = ({
  destinations,
  sealing,
}: {
  readonly destinations: Pick<Destinations, 'list' | 'change'>;
  readonly sealing: Sealing;
}) =>
  async function sealDestinationsAnew(): Promise<SealedAnew> {
    const notCurrent = async () =>
      (await destinations.list(Number.MAX_SAFE_INTEGER)).filter(({ destination }) =>
        hasFormer(destination, sealing),
      );
    let sealed = 0;
    for (const { destination } of await notCurrent()) {
      const changed = await destinations.change(destination.account, (all) => {
        const found = all.find(({ id }) => id === destination.id);
        const next = found === undefined ? null : sealedAnew(found, sealing);
        if (next === null) return { refused: 'not_found', what: 'destination' };
        return { id: next.id, next, entries: [] };
      });
      if (changed !== null && !isRefusal(changed) && !hasFormer(changed, sealing)) sealed += 1;
    }
    return { sealed, left: (await notCurrent()).length };
  };

function hasFormer({ target }: Destination, sealing: Sealing): boolean {
  let hasFormer = false;
  withSealedTexts(target, (text) => {
    hasFormer ||= !sealing.isCurrent(text);
    return text;
  });
  return hasFormer;
}

/** The destination with its readable texts under the first key; null if that changes nothing. */
function sealedAnew(destination: Destination, sealing: Sealing): Destination | null {
  let isChanged = false;
  const target = withSealedTexts(destination.target, (text, field) => {
    const as = { destination: destination.id, field };
    const opened = sealing.isCurrent(text) ? null : sealing.open(text, as);
    if (!opened?.opened) return text;
    isChanged = true;
    return sealing.seal(opened.text, as);
  });
  return isChanged ? { ...destination, target } : null;
}
