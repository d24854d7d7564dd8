import type { ComponentChildren } from 'preact';
import { REASON_LENGTH } from '../../../domain/accounts/reason.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';

export type ReasonFault = { readonly typed: string; readonly text: string };

/** The form of every operator action: each needs a reason (D25). At most one on a page. */
export const ReasonForm = ({
  viewer,
  action,
  button,
  isDangerous,
  fault,
  typed,
  fields,
  children,
}: {
  readonly viewer: Viewer;
  readonly action: string;
  readonly button: string;
  readonly isDangerous: boolean;
  readonly fault: ReasonFault | null;
  /** The reason that was sent with a form that was refused for another cause. */
  readonly typed?: string;
  /** The fields of the action, before its reason. */
  readonly fields?: ComponentChildren;
  /** Links beside the button. */
  readonly children?: ComponentChildren;
}) => (
  <form method="post" action={action}>
    <FormToken viewer={viewer} />
    {fields}
    <label for="reason">Reason</label>
    <textarea
      id="reason"
      name="reason"
      rows={3}
      required
      maxLength={REASON_LENGTH.maximum}
      aria-describedby={fault === null ? 'reason-note' : 'reason-note reason-fault'}
      aria-invalid={fault === null ? undefined : 'true'}
      value={fault?.typed ?? typed ?? ''}
    />
    <p id="reason-note" class="quiet">
      Stored in the audit log with your name, until the account is deleted.
    </p>
    {fault !== null && (
      <p id="reason-fault" class="fault">
        {fault.text}
      </p>
    )}
    <button type="submit" class={isDangerous ? 'danger' : undefined}>
      {button}
    </button>{' '}
    {children}
  </form>
);
