import type { ComponentChildren } from 'preact';
import { REASON_LENGTH } from '../../../domain/accounts/reason.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';

export type ReasonFault = { readonly typed: string; readonly text: string };

type FieldProps = {
  readonly fault: ReasonFault | null;
  /** The reason that was sent with a form that was refused for another cause. */
  readonly typed?: string;
  /** What is stored, if it is not the audit log of an account. */
  readonly note?: string;
};

type Props = FieldProps & {
  readonly viewer: Viewer;
  readonly action: string;
  readonly button: string;
  readonly isDangerous: boolean;
  /** The fields of the action, before its reason. */
  readonly fields?: ComponentChildren;
  /** Links beside the button. */
  readonly children?: ComponentChildren;
};

/** The form of every operator action: each needs a reason (D25). At most one on a page. */
export const ReasonForm = (props: Props) => (
  <form method="post" action={props.action}>
    <FormToken viewer={props.viewer} />
    {props.fields}
    <ReasonField {...props} />
    <button type="submit" class={props.isDangerous ? 'danger' : undefined}>
      {props.button}
    </button>{' '}
    {props.children}
  </form>
);

const ReasonField = ({ fault, typed, note }: FieldProps) => (
  <>
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
      {note ?? 'Stored in the audit log with your name, until the account is deleted.'}
    </p>
    {fault !== null && (
      <p id="reason-fault" class="fault">
        {fault.text}
      </p>
    )}
  </>
);
