import { hmacReferenceSigner } from '../../../src/adapters/system/hmac-reference-signer.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { type CheckoutReference, issueReference } from '../../../src/domain/billing/checkout-reference.js';
import type { Moment } from '../../../src/domain/moment.js';
import { WEBHOOK_SECRET } from '../service/running-service.js';
import { accepted, account, NOON } from './builders.js';

/** Signs as the services of the tests do. */
export const signer = hmacReferenceSigner([WEBHOOK_SECRET]);

/** An id in the form that the service gives to accounts. */
export const accountId = (number: number): AccountId =>
  `acc_${number.toString(16).padStart(24, '0')}` as AccountId;

/** A reference for the account with this id. */
export const aReference = (id: AccountId, at: Moment = NOON): CheckoutReference =>
  accepted(issueReference({ ...account(), id }, at, signer.sign)).reference;

/** The same reference with another last character: no text but one is its signature. */
export const tampered = (reference: string): string =>
  reference.slice(0, -1) + (reference.endsWith('A') ? 'E' : 'A');
