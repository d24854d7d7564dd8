import { hmacReferenceSigner } from '../../../src/adapters/system/hmac-reference-signer.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { type CheckoutReference, issueReference } from '../../../src/domain/billing/checkout-reference.js';
import type { Moment } from '../../../src/domain/moment.js';
import { WEBHOOK_SECRET } from '../service/running-service.js';
import { accepted, account, NOON } from './builders.js';

/** Signs with the secret of the tested services. */
export const signer = hmacReferenceSigner([WEBHOOK_SECRET]);

/** An id in the format of account ids. */
export const accountId = (number: number): AccountId =>
  `acc_${number.toString(16).padStart(24, '0')}` as AccountId;

/** A reference for the account with this id. */
export const aReference = (id: AccountId, at: Moment = NOON): CheckoutReference =>
  accepted(issueReference({ ...account(), id }, at, signer.sign)).reference;

/** The reference with another last character, which makes its signature invalid. */
export const tampered = (reference: string): string =>
  reference.slice(0, -1) + (reference.endsWith('A') ? 'E' : 'A');
