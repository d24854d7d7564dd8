import {
  ACCOUNT_ACTIONS,
  type AccountAction,
  KEY_ACTIONS,
  type KeyAction,
} from '../../../../domain/accounts/operator-actions.js';
import { ownValue } from '../../../../domain/own-value.js';
import type { NoticeKind } from '../../page/notice.js';

export type ActionText = {
  /** The label of the link and the button. */
  readonly name: string;
  /** Shown before the action. */
  readonly consequence: string;
  readonly isDangerous: boolean;
  /** Shown on the page of the account after the action. */
  readonly done: string;
};

export const ACCOUNT_ACTION_TEXT: Readonly<Record<AccountAction, ActionText>> = {
  hold: {
    name: 'Hold subscription',
    consequence:
      'Requests with the keys of this account return 402. Retired keys lose their grace period: requests with them return 401. No key can be created or rotated. The account owner is notified by email. You can release the hold later.',
    isDangerous: true,
    done: 'The subscription is on hold. Requests with its keys return 402.',
  },
  release: {
    name: 'Release subscription',
    consequence: 'Ends the hold on the subscription. Holds on single keys and other suspensions remain.',
    isDangerous: false,
    done: 'The hold on the subscription is released.',
  },
  'lift-abuse': {
    name: 'Clear abuse suspension',
    consequence:
      'Ends the suspension for abuse and ignores earlier abuse signals. New signals can suspend the account again.',
    isDangerous: false,
    done: 'The abuse suspension is cleared.',
  },
  'stop-watching': {
    name: 'Turn off abuse detection',
    consequence: 'The account is not monitored for abuse until detection is turned on again.',
    isDangerous: true,
    done: 'Abuse detection is off for this account.',
  },
  watch: {
    name: 'Turn on abuse detection',
    consequence: 'The account is monitored for abuse again. Earlier activity does not count.',
    isDangerous: false,
    done: 'Abuse detection is on for this account.',
  },
  'repeat-notice': {
    name: 'Send payment email again',
    consequence:
      'The owner gets the email about each open invoice again; while requests are refused for them, one email that says so. Nothing else changes.',
    isDangerous: false,
    done: 'The email is queued. It is sent within a minute.',
  },
  'sign-out': {
    name: 'Sign out everywhere and disconnect providers',
    consequence:
      'Ends all sessions of this account and disconnects its identity providers. Earlier emailed links stop working. The owner can sign in with a new emailed link. A provider works again once it has verified the email address. Keys keep working.',
    isDangerous: true,
    done: 'All sessions have ended. All identity providers are disconnected.',
  },
  delete: {
    name: 'Delete account',
    consequence:
      'Requests with the keys of this account return 401 immediately. The email address, key labels, sign-in methods, emails, texts of payment events and all reasons in the audit log are removed. The IDs, and the audit log without reasons, stay. A sign-in with the old email address opens a new account. The owner is not notified. This cannot be undone.',
    isDangerous: true,
    done: 'The account is deleted. Its personal data is removed.',
  },
};

export const KEY_ACTION_TEXT: Readonly<Record<KeyAction, ActionText>> = {
  hold: {
    name: 'Hold',
    consequence:
      'Requests with this key return 402. Other keys are not affected. The key cannot be rotated while on hold. The account owner is notified by email. You can release the hold later.',
    isDangerous: true,
    done: 'The key is on hold. Requests with it return 402.',
  },
  release: {
    name: 'Release',
    consequence:
      'Ends the hold on this key. Suspensions of the subscription remain, and a revoked key stays revoked.',
    isDangerous: false,
    done: 'The hold on the key is released.',
  },
  retire: {
    name: 'Retire',
    consequence:
      'A newer key of this account works. Requests with this key are accepted for 5 more minutes, then they return 401. This cannot be undone. The account owner is notified by email.',
    isDangerous: true,
    done: 'The key is retired. Requests with it return 401 when its grace period ends.',
  },
  revoke: {
    name: 'Revoke',
    consequence:
      'Requests with this key return 401 immediately and permanently. This cannot be undone. The account owner is notified by email.',
    isDangerous: true,
    done: 'The key is revoked. Requests with it now return 401.',
  },
};

/** What an action did, for the page that is shown after it. */
export type DoneNotice = { readonly kind: NoticeKind; readonly text: string };

const good = (text: string): DoneNotice => ({ kind: 'good', text });

/** By the code in the address of the next page. */
const DONE_TEXT: Readonly<Record<string, DoneNotice>> = {
  ...Object.fromEntries(ACCOUNT_ACTIONS.map((action) => [action, good(ACCOUNT_ACTION_TEXT[action].done)])),
  ...Object.fromEntries(KEY_ACTIONS.map((action) => [`key-${action}`, good(KEY_ACTION_TEXT[action].done)])),
  opened: good('The account is open. It has no key yet.'),
  plan: good('The plan is changed. Its limits are in force.'),
  'link-applied': good('The customer is linked to this account. All events that waited for it are applied.'),
  'replay-applied': good('The payment event was replayed and applied.'),
  'replay-ignored': {
    kind: 'warning',
    text: 'The payment event was replayed and ignored. It is not relevant to this service, or its account is deleted.',
  },
  'replay-waiting': {
    kind: 'warning',
    text: 'The payment event was replayed. It still waits until an account is linked to its customer.',
  },
  'replay-failed': {
    kind: 'bad',
    text: 'The payment event was replayed and failed again. Its error is shown with the event.',
  },
};

/** The message for a code in the address; null for an unknown code. */
export const doneNotice = (value: string | null): DoneNotice | null =>
  ownValue(DONE_TEXT, value ?? '') ?? null;
