import type { Account, AccountId } from '../accounts/account.js';
import { isDeleted } from '../accounts/account-deletion.js';
import { DAY, type Duration, epochSeconds, fromEpochMillis, type Moment, plus } from '../moment.js';
import { type Refusal, refuse } from '../refusal.js';

/** A reference is valid for checkout sessions that are created less than this time after its issue. */
const CHECKOUT_REFERENCE_LIFETIME: Duration = 7 * DAY;

declare const checkoutReference: unique symbol;

/**
 * A signed text that names an account to the payment processor: `ref_<seconds since 1970>_<account>_<signature>`. It
 * has only letters, digits, `-` and `_`, and at most 120 characters, because Stripe drops any other value silently
 * (D100).
 */
export type CheckoutReference = string & { readonly [checkoutReference]: true };

export type IssuedReference = { readonly reference: CheckoutReference; readonly expiresAt: Moment };

/** Why a checkout does not link the account that it names. */
export type LinkRefusal = 'account_id' | 'not_signed' | 'expired';

/** The account that a checkout names. `refusal` is null if the checkout may link the account to its customer. */
export type CheckoutLink = { readonly account: AccountId; readonly refusal: LinkRefusal | null };

/** 43 characters of URL-safe base64: a signature of 32 bytes. */
type Signature = string;

const ACCOUNT_ID = 'acc_[0-9a-f]{24}';
const PLAIN_ACCOUNT_ID = new RegExp(`^${ACCOUNT_ID}$`);
const REFERENCE = new RegExp(`^(ref_(\\d{1,12})_(${ACCOUNT_ID}))_([A-Za-z0-9_-]{43})$`);

/** A reference for an account that is not a customer of the processor yet. */
export function issueReference(
  account: Account,
  now: Moment,
  sign: (content: string) => Signature,
): IssuedReference | Refusal<'account_linked' | 'account_deleted'> {
  const { id, processorCustomerId } = account;
  if (isDeleted(account)) return refuse('account_deleted');
  if (processorCustomerId !== null) return refuse('account_linked');
  const seconds = epochSeconds(now);
  const content = `ref_${seconds}_${id}`;
  const reference = `${content}_${sign(content)}` as CheckoutReference;
  return { reference, expiresAt: expiryOf(seconds) };
}

/**
 * The account that a checkout names; null if `text` is neither a checkout reference nor an account id. The creation time
 * of the checkout session decides whether the reference has expired, so that a replay gives the same result. `openedAt`
 * is called only for a signed reference.
 */
export function readCheckoutLink(
  text: string,
  openedAt: () => Moment,
  isSigned: (content: string, signature: Signature) => boolean,
): CheckoutLink | null {
  if (PLAIN_ACCOUNT_ID.test(text)) return { account: text as AccountId, refusal: 'account_id' };
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, content = '', seconds = '', id = '', signature = ''] = match;
  const account = id as AccountId;
  if (!isSigned(content, signature)) return { account, refusal: 'not_signed' };
  return { account, refusal: openedAt() < expiryOf(Number(seconds)) ? null : 'expired' };
}

/** The account that a text names as a checkout reference, whoever signed it; null if it is none. */
export const accountOfReference = (text: string): AccountId | null =>
  (REFERENCE.exec(text)?.[3] as AccountId | undefined) ?? null;

const expiryOf = (issuedSeconds: number): Moment =>
  plus(fromEpochMillis(issuedSeconds * 1_000), CHECKOUT_REFERENCE_LIFETIME);
