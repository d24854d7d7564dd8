import type { Plan } from '../billing/plan.js';
import { DAY, type Moment, parseMoment, plus } from '../moment.js';
import type { Fault, Refusal } from '../refusal.js';
import { isNetworkFault, type Network, type NetworkFault, readNetwork } from './network.js';

/** The limits that the owner sets for one key, beside those of the plan. Null: only the plan limits it. */
export type OwnLimits = { readonly perMinute: number | null; readonly perDay: number | null };

/** What the owner of a key sets so that the key fits its use (D72). */
export type KeyControls = {
  /** From then on the key is refused like a revoked one (`expiry.ts`). */
  readonly expiresAt: Moment | null;
  /** Requests from other addresses are refused. Empty: every address is allowed. */
  readonly allowlist: readonly Network[];
  readonly limits: OwnLimits;
};

const NO_LIMITS: OwnLimits = { perMinute: null, perDay: null };

export const NO_CONTROLS: KeyControls = { expiresAt: null, allowlist: [], limits: NO_LIMITS };

/** Null for a key without controls, so that its requests cost no more than before. */
export const setControls = (controls: KeyControls): KeyControls | null =>
  controls.expiresAt === null && controls.allowlist.length === 0 && setLimits(controls) === null
    ? null
    : controls;

/** Null for a key that only the plan limits. */
export const setLimits = ({ limits }: KeyControls): OwnLimits | null =>
  limits.perMinute === null && limits.perDay === null ? null : limits;

export const ALLOWLIST_MAX = 20;

/** The last time that an expiry may be set to: 5 years. A later one is probably a mistake in the year. */
export const EXPIRY_MAX = 1_827 * DAY;

/** The members of a form or a document, as they were typed. Each empty text removes the control. */
export type TypedControls = {
  /** A day, `2026-12-31`: the key works until its end, in UTC. */
  readonly expiry: string;
  /** One address or network a line. */
  readonly addresses: string;
  readonly perMinute: string;
  readonly perDay: string;
};

/** Reads controls that were typed. The refusal has every error. `whyNotSet` has the rules that need the plan and the time. */
export function readControls(typed: TypedControls): KeyControls | Refusal<'invalid_body'> {
  const expiresAt = readExpiry(typed.expiry);
  const allowlist = readAllowlist(typed.addresses);
  const perMinute = readLimit(typed.perMinute, 'limit per minute');
  const perDay = readLimit(typed.perDay, 'limit per day');
  const faults = [expiresAt, ...allowlist, perMinute, perDay].filter(isFault);
  if (faults.length > 0) return { refused: 'invalid_body', faults };
  return { expiresAt, allowlist, limits: { perMinute, perDay } } as KeyControls;
}

const isFault = (read: unknown): read is Fault => typeof read === 'object' && read !== null;

/** The day on which an expiry ends, as it was typed. */
export const dayOfExpiry = (expiresAt: Moment): string => plus(expiresAt, -1).slice(0, 10);

const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;

function readExpiry(text: string): Moment | null | Fault {
  const typed = text.trim();
  if (typed === '') return null;
  const day = DAY_FORM.test(typed) ? parseMoment(typed) : undefined;
  return day === undefined
    ? fault('expiry', 'invalid_date_time', 'must be a day of the calendar, like 2026-12-31')
    : plus(day, DAY);
}

/** Each network once. Empty lines are ignored, and count in the numbers of lines. */
function readAllowlist(text: string): readonly (Network | Fault)[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const read = lines.flatMap((line, i) => (line === '' ? [] : [readLine(line, i + 1)]));
  const distinct = [...new Set(read)];
  if (distinct.length <= ALLOWLIST_MAX) return distinct;
  const lineNumber = lines.flatMap((line, i) => (line === '' ? [] : [i + 1]))[ALLOWLIST_MAX] ?? 0;
  const message = `is one too many: a key may have at most ${ALLOWLIST_MAX} addresses and networks`;
  return [fault(nameOfLine(lineNumber), 'invalid_max_items', message)];
}

function readLine(line: string, number: number): Network | Fault {
  const read = readNetwork(line);
  return isNetworkFault(read) ? fault(nameOfLine(number), 'invalid_network', NETWORK_FAULTS[read]) : read;
}

const nameOfLine = (number: number): string => `line ${number} of the allowed addresses`;

/** The text itself is not repeated: the page shows it, and it can be anything. */
// biome-ignore format: a table is read by its columns
const NETWORK_FAULTS: Readonly<Record<NetworkFault, string>> = {
  malformed:         'is no address or network; write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32',
  bits_after_prefix: 'has bits after its prefix; write the first address of the network, or a longer prefix',
  every_address:     'has every address; to allow every address, leave the field empty',
};

function readLimit(text: string, name: LimitName): number | null | Fault {
  const typed = text.trim();
  if (typed === '') return null;
  return /^\d{1,9}$/.test(typed) && Number(typed) > 0
    ? Number(typed)
    : fault(name, 'out_of_range', 'must be a whole number, at least 1');
}

type LimitName = 'limit per minute' | 'limit per day';

/**
 * Why controls cannot be set; null if they can. Only what changes is judged: a limit stays valid when the plan changes, and other
 * controls can be set while one of them could not be set again.
 */
export function whyNotSet(
  before: KeyControls,
  next: KeyControls,
  plan: Pick<Plan, 'requestsPerMinute' | 'requestsPerDay'>,
  now: Moment,
): Refusal<'invalid_body'> | null {
  const { perMinute, perDay } = next.limits;
  const faults = [
    next.expiresAt === before.expiresAt ? null : expiryFault(next.expiresAt, now),
    perMinute === before.limits.perMinute
      ? null
      : limitFault('limit per minute', perMinute, plan.requestsPerMinute),
    perDay === before.limits.perDay ? null : limitFault('limit per day', perDay, plan.requestsPerDay),
  ].filter((found) => found !== null);
  return faults.length === 0 ? null : { refused: 'invalid_body', faults };
}

function expiryFault(expiresAt: Moment | null, now: Moment): Fault | null {
  if (expiresAt === null) return null;
  if (expiresAt <= now) return fault('expiry', 'out_of_range', 'must be in the future');
  return expiresAt <= plus(now, EXPIRY_MAX)
    ? null
    : fault('expiry', 'out_of_range', 'must be within the next 5 years');
}

function limitFault(name: LimitName, limit: number | null, most: number): Fault | null {
  if (limit === null || (limit >= 1 && limit <= most)) return null;
  const message = `must be from 1 to ${most.toLocaleString('en-US')}, the limit of the plan`;
  return fault(name, 'out_of_range', message);
}

const fault = (parameter: string, code: Fault['code'], message: string): Fault => ({
  parameter,
  code,
  message,
});
