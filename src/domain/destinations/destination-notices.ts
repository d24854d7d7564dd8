import type { Account } from '../accounts/account.js';
import type { Notice } from '../accounts/notice.js';
import type { Moment } from '../moment.js';
import type { Destination } from './destination.js';
import { type DestinationState, mailDue } from './destination-state.js';

/** The mails to the owner when a delivery has changed the state of a destination (D69): one of each kind for a failure. */
export function destinationNotices(
  { id, label, target, state: before }: Destination,
  state: DestinationState,
  { email: to }: Pick<Account, 'email'>,
  at: Moment,
): readonly Notice[] {
  const mail = mailDue(before, state, at);
  if (mail === null) return [];
  const since = before.status === 'failing' ? before.since : at;
  const destination = { label, kind: target.kind };
  if (state.status === 'disabled') {
    const { cause } = state;
    const occasion = `destination_disabled/${id}/${since}`;
    return [{ to, occasion, news: { kind: 'destination_disabled', destination, cause, since } }];
  }
  return [
    {
      to,
      occasion: `destination_failing/${id}/${since}`,
      news: { kind: 'destination_failing', destination, since },
    },
  ];
}
