import type { Account } from '../accounts/account.js';
import { readWholeNumber } from '../feed/whole-number.js';
import { keysInUse } from '../keys/allowance.js';
import { DAY, type Duration } from '../moment.js';

/** Limits that an operator considers for a plan; null for one that stays. */
export type ProposedLimits = { readonly keys: number | null; readonly requestsPerDay: number | null };

const RANGE = { minimum: 0, maximum: 1_000_000_000 };

/** The use that a limit of requests is compared with: the days that began this long before today, and today. */
export const COMPARED_DAYS: Duration = DAY;

/** A limit as typed: null if the field is empty, undefined if the text is no whole number from 0 to 1,000,000,000. */
export function readProposedLimit(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const number = readWholeNumber(trimmed, RANGE);
  return number === undefined || number < RANGE.minimum || number > RANGE.maximum ? undefined : number;
}

/** Those that use more keys than a limit allows. Their keys would keep working (D24). */
export const withMoreKeysInUse = (accounts: readonly Account[], limit: number): readonly Account[] =>
  accounts.filter(({ keys }) => keysInUse(keys) > limit);
