import type { Account } from '../../../domain/accounts/account.js';
import { CONFIRMATION_LIFETIME } from '../../../domain/destinations/account-destinations.js';
import type { Destination } from '../../../domain/destinations/destination.js';
import { DESTINATION_CONFIRMATIONS } from '../../../domain/limits/attempt.js';
import { plus } from '../../../domain/moment.js';
import type { DestinationPageParts, DestinationSending } from './destination-page.js';

export type SentConfirmation = 'sent' | 'not sent';

/** Counts a link to a mailbox before anything is stored. Returns the seconds to wait; null if it may be sent. */
export const waitForConfirmation = (
  { countAttempt }: Pick<DestinationPageParts, 'countAttempt'>,
  { id }: Pick<Account, 'id'>,
): Promise<number | null> => countAttempt(id, DESTINATION_CONFIRMATIONS);

/** Emails the link by which the owner of a mailbox agrees (D67). */
export async function sendConfirmation(
  { mailConfirmation, clock }: Pick<DestinationPageParts, 'mailConfirmation' | 'clock'>,
  { links }: Pick<DestinationSending, 'links'>,
  { id, target }: Destination,
  { email: account }: Pick<Account, 'email'>,
): Promise<SentConfirmation> {
  if (target.kind !== 'email' || mailConfirmation === null) return 'not sent';
  const { address } = target;
  const endsAt = plus(clock(), CONFIRMATION_LIFETIME);
  const url = links.confirmUrl({ id, address, endsAt });
  const delivery = await mailConfirmation(address, { account, url, endsAt });
  return delivery === 'sent' || delivery === 'in doubt' ? 'sent' : 'not sent';
}
