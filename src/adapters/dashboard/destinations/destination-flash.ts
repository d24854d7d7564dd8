import type { DeliveryEntry } from '../../../domain/destinations/delivery.js';
import { isDelivery } from '../../../domain/destinations/delivery.js';
import type { Target } from '../../../domain/destinations/destination.js';
import { ownValue } from '../../../domain/own-value.js';
import type { Flash } from '../keys/flash.js';
import { momentText } from '../page/moment-text.js';
import { outcomeText } from './destination-text.js';
import type { SentConfirmation } from './send-confirmation.js';

/** What became of a link to confirm a mailbox. */
export const CONFIRMATION_TEXT: Readonly<Record<SentConfirmation, Flash>> = {
  sent: {
    kind: 'good',
    text: 'We sent a link to this mailbox. Emails begin when its owner opens the link and confirms, within 7 days.',
  },
  'not sent': {
    kind: 'bad',
    text: 'The mail server did not accept the email with the link to confirm. Send the link again later.',
  },
};

/** Messages about the action just taken, by the code in the address of the page. */
const MESSAGES: Readonly<Record<string, Flash>> = {
  paused: { kind: 'good', text: 'The destination is paused. It keeps its position.' },
  enabled: { kind: 'good', text: 'The destination is enabled. It continues at its position.' },
  edited: { kind: 'good', text: 'The label and the filter are saved.' },
  removed: { kind: 'good', text: 'The destination is removed.' },
  'confirmation-sent': CONFIRMATION_TEXT.sent,
  'confirmation-not-sent': CONFIRMATION_TEXT['not sent'],
};

/** The deliveries that the owner caused, with the codes of their messages. */
const BY_OWNER: Readonly<Record<string, DeliveryEntry['kind']>> = { tested: 'test', again: 'again' };

/** The message for a code of an action that has the same outcome each time. */
export const doneFlash = (code: string | null): Flash | null => ownValue(MESSAGES, code ?? '') ?? null;

/** The message for any code. The outcome of a test, or of a repeat, is that of the newest one. */
export function destinationFlash(
  code: string | null,
  target: Pick<Target, 'kind'>,
  deliveries: readonly DeliveryEntry[],
): Flash | null {
  const kind = ownValue(BY_OWNER, code ?? '');
  if (kind === undefined) return doneFlash(code);
  const newest = deliveries.find((entry) => entry.kind === kind);
  return newest === undefined ? null : outcomeFlash(target, newest);
}

function outcomeFlash(target: Pick<Target, 'kind'>, entry: DeliveryEntry): Flash {
  const what = entry.kind === 'test' ? 'The test' : 'The repeated delivery';
  const how = `${what} of ${momentText(entry.at)}: ${outcomeText(target, entry)}, after ${entry.durationMs} ms.`;
  if (isDelivery(entry)) return { kind: 'good', text: how };
  return { kind: 'bad', text: `${how} Deliveries need an answer with a status from 200 to 299.` };
}
