import type { Sealed } from '../../../domain/destinations/destination.js';

/** What a sealed text is. It is opened only as what it was sealed as, so that rows cannot be exchanged in the database. */
export type SealedField = { readonly destination: string; readonly field: string };

export type Opened =
  | { readonly opened: true; readonly text: string }
  /** `unknown_key`: none of the keys has sealed it. `damaged`: it was changed, or sealed as something else. */
  | { readonly opened: false; readonly why: 'unknown_key' | 'damaged' };

/**
 * Encrypts secrets of customers that the service must read again, such as the URL of a destination.
 *
 * What every adapter guarantees:
 * - each call seals to another text, also for the same content;
 * - the first key seals, and all keys open. There are two while the key is replaced.
 */
export interface Sealing {
  seal(text: string, as: SealedField): Sealed;
  open(sealed: Sealed, as: SealedField): Opened;
  /** Whether the first key has sealed it. All other texts must be sealed again before the former key is removed. */
  isCurrent(sealed: Sealed): boolean;
}
