import type { Account, AuditContext, Change } from '../accounts/account.js';
import type { Plan } from '../billing/plan.js';
import { plus } from '../moment.js';
import { isRefusal, type Refusal, refuse } from '../refusal.js';
import { whyNotIssue, whyNotRotate } from './allowance.js';
import { type ApiKey, derivedState, type KeyEvent, type KeyId, transition } from './api-key.js';
import { nextReminder } from './expiry.js';
import { type KeyControls, NO_CONTROLS, whyNotSet } from './key-controls.js';
import type { KeyHash } from './key-value.js';
import type { Label } from './label.js';
import { listedKeys } from './listed-keys.js';
import { OVERLAP } from './overlap.js';
import { SCOPES } from './scope.js';
import type { OperatorEvent } from './suspension.js';

/** A generated key that no account has yet. */
export type FreshKey = {
  readonly id: KeyId;
  readonly hash: KeyHash;
  readonly prefix: string;
  readonly label: Label | null;
};

/** Issues a key within the allowance of the plan (contract section 5.3). `controls`: what its owner has set for it (D72). */
export function issueKey(
  account: Account,
  fresh: FreshKey,
  plan: Plan,
  context: AuditContext,
  controls: KeyControls = NO_CONTROLS,
): Change | Refusal {
  const refusal =
    whyNotSet(NO_CONTROLS, controls, plan, context.at) ?? whyNotIssue(account, plan, context.at);
  if (refusal !== null) return refusal;
  return withKey(account, { ...fresh, predecessor: null, overlapEndsAt: null, controls }, context);
}

/**
 * Refuses a change if the caller decided on an outdated list of keys. `seen` is the newest key of that list, null if it
 * was empty. Therefore a form that is sent twice creates only one key.
 */
export function whyOutdated({ keys }: Account, seen: KeyId | null): Refusal | null {
  return (keys.at(-1)?.id ?? null) === seen ? null : refuse('changed_meanwhile');
}

/**
 * Issues the successor of a key, also if the allowance is used up. The older key stays active. Without a label, the
 * successor gets the label of the older key (D23).
 *
 * It gets the allowlist and the limits of the older key, but not its expiry: a key is often rotated because it expires (D72).
 */
export function rotateKey(
  account: Account,
  id: KeyId,
  fresh: FreshKey,
  context: AuditContext,
): Change | Refusal {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  const refusal = whyNotRotate(account, key, context.at);
  if (refusal !== null) return refusal;
  const controls: KeyControls = { ...key.controls, expiresAt: null };
  const successor = { ...fresh, label: fresh.label ?? key.label, predecessor: id, controls };
  return withKey(account, { ...successor, overlapEndsAt: plus(context.at, OVERLAP) }, context);
}

/**
 * Retires a key that has an active replacement (`rotation`), or revokes it at once (`manual`). The rules are in
 * contract section 5.4, D22 and D23.
 */
export function revokeKey(
  account: Account,
  id: KeyId,
  cause: 'rotation' | 'manual',
  context: AuditContext,
): Change | Refusal {
  if (cause === 'manual') return applyKeyEvent(account, id, 'revoked', context);
  return whyNotRetire(account, id) ?? applyKeyEvent(account, id, 'rotated', context);
}

/** Why a key cannot be retired in favour of a newer one (D23); null if it can. */
export function whyNotRetire(account: Account, id: KeyId): Refusal | null {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  if (key.state.status === 'revoked') return refuse('key_revoked');
  return hasReplacement(account, id) ? null : refuse('no_replacement');
}

/** What the owner of a key changes about it. */
export type KeyEdit = {
  readonly label: Label | null;
  readonly controls: KeyControls;
  /** The settings that the owner has seen (`seenSettings`). Undefined: newer ones are not looked for. */
  readonly seen?: string;
};

type KeySettings = Pick<ApiKey, 'label' | 'controls'>;

/** The names in the audit log, and a text for each setting that two equal settings share. */
const settingsOf = ({ label, controls: { expiresAt, allowlist, limits } }: KeySettings) =>
  [
    ['label', JSON.stringify(label)],
    ['expiry', JSON.stringify(expiresAt)],
    ['allowlist', JSON.stringify(allowlist)],
    ['limits', JSON.stringify([limits.perMinute, limits.perDay])],
  ] as const;

/** The settings of a key as one text, by which a form knows later which of them it changed. */
export const seenSettings = (key: KeySettings): string =>
  settingsOf(key)
    .map(([, text]) => Buffer.from(text).toString('base64url'))
    .join('.');

/** Edits a key that is not revoked (D72). An edit that changes nothing leaves no audit entry. */
export function editKey(
  account: Account,
  id: KeyId,
  sent: KeyEdit,
  plan: Plan,
  context: AuditContext,
): Change | Refusal {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  if (key.state.status === 'revoked') return refuse('key_revoked');
  const edit = sent.seen === undefined ? sent : editSince(sent.seen, key, sent);
  if (isRefusal(edit)) return edit;
  const { label, controls } = edit;
  const refusal = whyNotSet(key.controls, controls, plan, context.at);
  if (refusal !== null) return refusal;
  const reason = changedNames(key, { label, controls }).join(', ');
  if (reason === '') return { next: account, entries: [] };
  const isMoved = controls.expiresAt !== key.controls.expiresAt;
  const remindAt = isMoved ? nextReminder(controls.expiresAt, context.at) : key.remindAt;
  const edited = { ...key, label, controls, remindAt };
  const keys = account.keys.map((other) => (other.id === id ? edited : other));
  return { next: { ...account, keys }, entries: [{ ...context, reason, event: 'key_edited', key: id }] };
}

/**
 * What a form changes that began with the settings `seen`. A setting that it left alone stays as it is now. It is refused
 * only if somebody else has given a setting that it changes another value.
 */
function editSince(seen: string, key: ApiKey, sent: KeySettings): KeySettings | Refusal<'changed_meanwhile'> {
  const [before, now] = [seen.split('.'), seenSettings(key).split('.')];
  const changes = seenSettings(sent)
    .split('.')
    .map((text, i) => ({ isSent: text !== before[i], isLost: now[i] !== before[i] && now[i] !== text }));
  if (changes.some(({ isSent, isLost }) => isSent && isLost)) return refuse('changed_meanwhile');
  const [label, expiry, allowlist, limits] = changes.map(({ isSent }) => (isSent ? sent : key));
  return {
    label: (label ?? key).label,
    controls: {
      expiresAt: (expiry ?? key).controls.expiresAt,
      allowlist: (allowlist ?? key).controls.allowlist,
      limits: (limits ?? key).controls.limits,
    },
  };
}

/** The audit log has the names of what changed: values would stay in it after they were changed again. */
function changedNames(key: KeySettings, edit: KeySettings): readonly string[] {
  const before = settingsOf(key);
  return settingsOf(edit).flatMap(([name, text], i) => (text === before[i]?.[1] ? [] : [name]));
}

/** Applies an operator's event to one key, such as a hold (D21). */
export const applyOperatorEvent = (
  account: Account,
  id: KeyId,
  event: OperatorEvent,
  context: AuditContext,
): Change | Refusal => applyKeyEvent(account, id, event, context);

/**
 * Applies an event to one key, by the table of contract section 3.1. Refuses `not_found`, and each refusal in the
 * table.
 */
export function applyKeyEvent(
  account: Account,
  id: KeyId,
  event: KeyEvent,
  context: AuditContext,
): Change | Refusal {
  const key = keyOf(account, id);
  if (isRefusal(key)) return key;
  const state = transition(key.state, event, context.at);
  if (isRefusal(state)) return state;
  const keys = account.keys.map((other) => (other.id === id ? { ...key, state } : other));
  return { next: { ...account, keys }, entries: [{ ...context, event, key: id }] };
}

export const keyOf = (account: Account, id: KeyId): ApiKey | Refusal =>
  account.keys.find((key) => key.id === id) ?? { refused: 'not_found', what: 'key' };

function withKey(
  account: Account,
  key: Omit<ApiKey, 'scopes' | 'issuedAt' | 'firstUsedAt' | 'remindAt' | 'state'>,
  context: AuditContext,
): Change {
  const issued: ApiKey = {
    ...key,
    scopes: [...SCOPES],
    issuedAt: context.at,
    firstUsedAt: null,
    remindAt: nextReminder(key.controls.expiresAt, context.at),
    state: { status: 'active' },
  };
  const keys = listedKeys([...account.keys, issued], context.at);
  const closed = account.keys.length + 1 - keys.length;
  return {
    next: { ...account, keys, closedKeys: account.closedKeys + closed },
    entries: [{ ...context, event: 'issued', key: key.id }],
  };
}

/** A retired key needs its successor, or any active key issued after it (D23). */
function hasReplacement({ keys, subscription }: Account, id: KeyId): boolean {
  const later = keys.slice(keys.findIndex((key) => key.id === id) + 1);
  return later.some((key) => derivedState(key.state, subscription.suspension).status === 'active');
}
