import type { KeyEdit } from '../../../domain/keys/account-keys.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { dayOfExpiry, readControls, type TypedControls } from '../../../domain/keys/key-controls.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { readLabel } from '../../../domain/keys/label.js';
import { isNetworkFault, readNetwork } from '../../../domain/keys/network.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { Context } from '../state.js';

/** What the owner of a key sets, as it was typed (D72). */
export type TypedKey = TypedControls & { readonly label: string };

export const NOTHING_TYPED: TypedKey = { label: '', expiry: '', addresses: '', perMinute: '', perDay: '' };

export const typedKey = (form: URLSearchParams): TypedKey => ({
  label: form.get('label') ?? '',
  expiry: form.get('expiry') ?? '',
  addresses: form.get('addresses') ?? '',
  perMinute: form.get('per_minute') ?? '',
  perDay: form.get('per_day') ?? '',
});

/** What a refused form shows again: a field with an API key is empty (D19). */
export const shownAgain = (typed: TypedKey, keyFormat: Pick<KeyFormat, 'containsKey'>): TypedKey => {
  const shown = (text: string) => (keyFormat.containsKey(text) ? '' : text);
  const { label, expiry, addresses, perMinute, perDay } = typed;
  return {
    ...{ label: shown(label), expiry: shown(expiry), addresses: shown(addresses) },
    ...{ perMinute: shown(perMinute), perDay: shown(perDay) },
  };
};

/** What is set for a key, as its owner would type it. */
export const typedOf = ({ label, controls }: ApiKey): TypedKey => ({
  label: label ?? '',
  expiry: controls.expiresAt === null ? '' : dayOfExpiry(controls.expiresAt),
  addresses: controls.allowlist.join('\n'),
  perMinute: String(controls.limits.perMinute ?? ''),
  perDay: String(controls.limits.perDay ?? ''),
});

/** Reads what was typed. The refusal has every error. */
export function readTypedKey(
  typed: TypedKey,
  keyFormat: Pick<KeyFormat, 'containsKey'>,
): KeyEdit | Refusal<'invalid_body'> {
  const label = typed.label.trim() === '' ? null : readLabel(typed.label, keyFormat);
  const controls = readControls(typed);
  const isLabelRefused = label !== null && typeof label === 'object';
  if (!isLabelRefused && !isRefusal(controls)) return { label, controls };
  const faults = [label, controls].flatMap((read) =>
    read !== null && typeof read === 'object' && isRefusal(read) ? read.faults : [],
  );
  return { refused: 'invalid_body', faults };
}

/** The address of the visitor, as a program there would be seen; null if it is not known. */
export function addressOfVisitor({ state: { address } }: Context): string | null {
  const read = readNetwork(address);
  return isNetworkFault(read) ? null : read;
}
