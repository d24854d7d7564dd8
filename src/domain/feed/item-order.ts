import type { Reason } from '../accounts/reason.js';
import type { Moment } from '../moment.js';
import { isRefusal, type Refusal } from '../refusal.js';
import { type PublicationInput, readPublication } from './feed-item.js';

/** What an operator does with an item. A purge has a record of its own (D62). */
export type ItemAction = 'retract' | 'correct';

/** An entry of the audit log of items: what an operator ordered, and why (D127). */
export type ItemOrder = {
  readonly action: ItemAction;
  readonly actor: string;
  readonly reason: Reason;
  readonly at: Moment;
};

/** Why a publication is no valid correction of the item with this id; null if it is one. */
export function whyNoCorrection(
  id: string,
  input: PublicationInput,
  now: Moment,
): Refusal<'invalid_body'> | null {
  if (input.news_event.id !== id) {
    const message = 'must stay the id of the item; another id would be another item';
    return {
      refused: 'invalid_body',
      faults: [{ parameter: '/news_event/id', code: 'not_allowed', message }],
    };
  }
  const read = readPublication(input, now, 'live');
  return isRefusal(read) ? read : null;
}
