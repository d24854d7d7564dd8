import { type Reason, readReason } from '../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { refusalText } from '../page/refusal-text.js';
import type { ReasonFault } from './reason-form.js';

/** The reason in a submitted form, with the text that the form shows again; or its fault. A key in the text is redacted (D19). */
export function submittedReason(
  form: URLSearchParams,
  keyFormat: KeyFormat,
): { readonly reason: Reason; readonly typed: string } | { readonly fault: ReasonFault } {
  const sent = form.get('reason') ?? '';
  const typed = keyFormat.redact(sent);
  const reason = readReason(sent, keyFormat);
  return typeof reason === 'object' ? { fault: { typed, text: refusalText(reason) } } : { reason, typed };
}
