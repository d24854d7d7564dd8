import {
  ACCOUNT_ACTIONS,
  type AccountAction,
  KEY_ACTIONS,
  type KeyAction,
} from '../../../../domain/accounts/operator-actions.js';
import { ownValue } from '../../../../domain/own-value.js';

export type ActionText = {
  /** On the link and the button. */
  readonly name: string;
  /** What it does, said before it is done. */
  readonly consequence: string;
  readonly isDangerous: boolean;
  /** What the account's page says afterwards. */
  readonly done: string;
};

export const ACCOUNT_ACTION_TEXT: Readonly<Record<AccountAction, ActionText>> = {
  hold: {
    name: 'Hold the subscription',
    consequence:
      'Requests with keys that are not revoked get 402 from now on, keys in their grace window get 401 for good, and no key can be issued or rotated. Its owner is told by mail. A release takes the hold back.',
    isDangerous: true,
    done: 'The subscription is held: keys that are not revoked get 402.',
  },
  release: {
    name: 'Release the subscription',
    consequence:
      'The hold on the subscription is lifted. Holds on single keys, and other causes, stay as they are.',
    isDangerous: false,
    done: 'The hold on the subscription is lifted.',
  },
  'lift-abuse': {
    name: 'Lift the abuse trip',
    consequence:
      'The suspension for abuse is lifted, and what was seen until now does not count any more. Going on like that trips it again.',
    isDangerous: false,
    done: 'The abuse trip is lifted.',
  },
  'stop-watching': {
    name: 'Turn abuse detection off',
    consequence: 'Nothing that the account does trips abuse detection any more, until it is turned on again.',
    isDangerous: true,
    done: 'Abuse detection is off for this account.',
  },
  watch: {
    name: 'Turn abuse detection on',
    consequence: 'The account is watched like any other again; what was before does not count.',
    isDangerous: false,
    done: 'Abuse detection is on for this account.',
  },
  'sign-out': {
    name: 'End all sessions and forget identities',
    consequence:
      'Everybody who is signed in to this account is signed out, and nobody gets in by signing in at a provider any more, but who proves there that the account’s e-mail address is theirs. Links mailed to that address before stop working too; a new one signs in. Keys go on working.',
    isDangerous: true,
    done: 'All sessions of the account are ended, and its identities are forgotten.',
  },
};

export const KEY_ACTION_TEXT: Readonly<Record<KeyAction, ActionText>> = {
  hold: {
    name: 'Hold',
    consequence:
      'Every request with this key gets 402 from now on; the other keys go on. It cannot be rotated meanwhile. Its owner is told by mail. A release takes the hold back.',
    isDangerous: true,
    done: 'The key is held: requests with it get 402.',
  },
  release: {
    name: 'Release',
    consequence:
      'The hold on this key is lifted. What stands on the subscription stays, and a revoked key stays revoked.',
    isDangerous: false,
    done: 'The hold on the key is lifted.',
  },
  revoke: {
    name: 'Revoke',
    consequence:
      'Every request with this key gets 401 from this moment on, and the key never works again. This cannot be taken back. Its owner is told by mail.',
    isDangerous: true,
    done: 'The key is revoked: requests with it get 401 from now on.',
  },
};

/** By the word in the address of the page that follows. */
const DONE_TEXT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ACCOUNT_ACTIONS.map((action) => [action, ACCOUNT_ACTION_TEXT[action].done])),
  ...Object.fromEntries(KEY_ACTIONS.map((action) => [`key-${action}`, KEY_ACTION_TEXT[action].done])),
  'link-applied': 'The customer is linked to this account, and everything that waited for it is applied.',
  'replay-applied': 'The payment event was replayed, and is applied.',
  'replay-ignored': 'The payment event was replayed: it tells us nothing.',
  'replay-waiting': 'The payment event was replayed: it still waits for an account of its customer.',
  'replay-failed': 'The payment event was replayed, and failed again: its page says why.',
};

/** What was done just before, by the word in the address; null where the word names nothing. */
export const doneText = (value: string | null): string | null => ownValue(DONE_TEXT, value ?? '') ?? null;
