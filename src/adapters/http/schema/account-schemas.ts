import { ACCOUNT_EVENTS } from '../../../domain/accounts/account.js';
import { REASON_LENGTH } from '../../../domain/accounts/reason.js';
import { PLAN_NAMES } from '../../../domain/billing/plan.js';
import { SUBSCRIPTION_STATES } from '../../../domain/billing/subscription.js';
import { KEY_EVENTS, REVOCATION_CAUSES } from '../../../domain/keys/api-key.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import { SCOPES } from '../../../domain/keys/scope.js';
import { SUSPENSION_CAUSES } from '../../../domain/keys/suspension.js';
import {
  arrayOf,
  boolean,
  closed,
  described,
  id,
  integer,
  type JsonSchema,
  orNull,
  type Properties,
  ref,
  text,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

const at = (description: string) => described(writtenMoment, description);
const atOrNull = (description: string) => described(orNull(writtenMoment), description);

const causes = (of: string) =>
  described(arrayOf({ enum: SUSPENSION_CAUSES }), `Why ${of} is suspended. Empty if it is not.`);
/** The full rule is `domain/accounts/reason.ts`; this is the part that JSON Schema can express. */
const reason: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: `The reason, for the audit log. ${REASON_LENGTH.minimum} to ${REASON_LENGTH.maximum} characters, after spaces at both ends are removed. No control characters except line breaks. API keys are cut to their prefix.`,
};
/** The full rule (D26) is `domain/keys/label.ts`; this is the part that JSON Schema can express. */
const label: JsonSchema = {
  type: 'string',
  description: `A name for the key, for people. ${LABEL_LENGTH.minimum} to ${LABEL_LENGTH.maximum} characters, after spaces at both ends are removed. No control characters and no API keys.`,
};
const plan = described({ enum: PLAN_NAMES }, 'The plan. It sets the limits of the subscription.');
const customer = 'The customer at the payment processor.';
const audit = described(arrayOf(ref('AuditEntry')), 'Every change, newest first.');

/** What the owner of a key has set (D72), for customers and operators. */
const keyControls: Properties = {
  expires_at: atOrNull('From then on the key is revoked, in UTC. Null if it does not expire.'),
  allowed_addresses: described(
    arrayOf(text),
    'The addresses and networks from which the key may be used. Empty: from every address.',
  ),
  requests_per_minute: described(
    orNull(integer),
    'The limit of a minute that the owner has set for the key. Null: only the plan limits it.',
  ),
  requests_per_day: described(
    orNull(integer),
    'The limit of a day that the owner has set for the key. Null: only the plan limits it.',
  ),
};

const key: Properties = {
  key_id: described(id, 'The id of the key. It is not the key itself.'),
  account_id: described(id, 'The account of the key.'),
  prefix: described(text, 'The first 12 characters of the key, to recognise it.'),
  label: described(orNull(text), 'The name that the holder gave the key. Null if it has none.'),
  status: described(
    { enum: ['active', 'suspended', 'revoked'] },
    'Requests with a suspended key get 402, requests with a revoked key 401.',
  ),
  causes: causes('the key or its subscription'),
  scopes: described(arrayOf({ enum: SCOPES }), 'What the key may read. Set when the key is issued.'),
  issued_at: at('When the key was issued, in UTC.'),
  revoked_at: atOrNull('When the key was revoked. Null if it is not revoked.'),
  revocation_cause: described(
    orNull({ enum: REVOCATION_CAUSES }),
    'Why the key was revoked. Null if it is not revoked.',
  ),
  grace_until: atOrNull('Until then the revoked key still works. Null without a grace window.'),
  predecessor_id: described(orNull(id), 'The key that this one replaces in a rotation.'),
  successor_id: described(orNull(id), 'The key that replaces this one in a rotation.'),
  overlap_ends_at: atOrNull(
    'When the service retires the key that this one replaces. Null without a rotation, and before the first request with this key.',
  ),
  last_used_at: atOrNull('The last request with the key. Null if it was never used.'),
  ...keyControls,
};

const openInvoice = closed({
  invoice_id: described(id, 'The invoice at the payment processor.'),
  first_failed_at: at('The first failed attempt to collect it, in UTC.'),
  failed_retries: described(integer, 'The number of failed retries. The first attempt is not a retry.'),
  next_retry_at: atOrNull('The next attempt. Null if none is expected.'),
  deadline: at('At this time an unpaid invoice suspends the subscription.'),
});

const dunning = closed({
  open_invoices: described(arrayOf(openInvoice), 'The invoices that are not paid.'),
  suspends_at: atOrNull('When the subscription is suspended, if nothing is paid. Null if it is not due.'),
});

const subscription = closed({
  subscription_id: described(id, 'The id of the subscription.'),
  plan,
  state: described(
    { enum: SUBSCRIPTION_STATES },
    'Only `trialing` and `active` are served; dunning is `active`.',
  ),
  causes: causes('the subscription'),
  dunning: described(
    orNull(dunning),
    'The open invoices after a failed payment, or an overdue payment without a known one. Null if nothing is owed.',
  ),
  abuse_detection: described(boolean, 'Whether abuse suspends the subscription.'),
  processor_subscription_id: described(orNull(id), 'The subscription at the payment processor.'),
  trial_ends_at: atOrNull('The end of the trial. Null without a trial.'),
  period_ends_at: atOrNull('The end of the period that is paid for.'),
});

/** Responses of the operator API (D30). */
const answers: Properties = {
  Account: closed({
    account_id: described(id, 'The id of the account.'),
    subscription_id: described(id, 'The id of its subscription.'),
    email: described(text, 'The email address of the owner, in lower case.'),
    processor_customer_id: described(orNull(id), `${customer} Null until one is linked.`),
    opened_at: at('When the account was opened, in UTC.'),
    subscription: described(subscription, 'The subscription, which all keys share.'),
    keys: described(arrayOf(ref('Key')), 'All keys, revoked ones too.'),
    audit,
  }),
  Key: closed(key),
  OwnKey: closed({
    key_id: described(text, 'The id of the key that was sent. It is not the key itself.'),
    prefix: described(text, 'The first 12 characters of the key, to recognise it.'),
    label: described(orNull(text), 'The name that its owner gave the key. Null if it has none.'),
    scopes: described(arrayOf({ enum: SCOPES }), 'What the key may read. Set when the key was created.'),
    status: described(
      { enum: ['active', 'revoked'] },
      '`revoked` for a key that was retired in a rotation and still works, until `grace_until`.',
    ),
    grace_until: atOrNull('Until then the retired key still works. Null for an active key.'),
    issued_at: at('When the key was created, in UTC.'),
    ...keyControls,
    replaced_by: described(
      orNull(text),
      'The first 12 characters of the newer key that replaces this one in a rotation. Null if there is none.',
    ),
  }),
  KeyWithAudit: closed({ ...key, audit }),
  IssuedKey: closed({
    ...key,
    key: described(text, 'The full value. It is returned only once.'),
  }),
  AuditEntry: closed({
    at: at('When it happened, in UTC.'),
    actor: described(text, 'The person or the part of the service that changed it.'),
    event: described({ enum: [...ACCOUNT_EVENTS, ...KEY_EVENTS] }, 'What happened.'),
    cause: described(
      orNull({ enum: [...SUSPENSION_CAUSES, ...REVOCATION_CAUSES] }),
      'The cause of a suspension or a revocation. Null for other events.',
    ),
    reason: described(orNull(text), 'The reason that the actor gave.'),
    key_id: described(orNull(id), 'The key that it concerns. Null for the account as a whole.'),
  }),
};

/** Requests of the operator API (D30). */
const requests: Properties = {
  NewAccount: closed(
    {
      email: described(
        { type: 'string', format: 'email', maxLength: 254 },
        'The email address of the owner. No other account may have it.',
      ),
      plan,
    },
    { processor_customer_id: described(id, customer) },
  ),
  CustomerLink: closed({ processor_customer_id: described(id, customer) }),
  AbuseDetection: closed({
    enabled: described(boolean, 'Whether abuse suspends the subscription.'),
    reason,
  }),
  NewKey: closed({}, { label }),
  Revocation: closed(
    {
      cause: described(
        { enum: ['rotation', 'manual'] },
        '`rotation` needs a newer active key and opens the grace window of 5 minutes.',
      ),
    },
    { reason },
  ),
  HoldRequest: closed({ reason }),
  Purge: closed({
    reason: described(reason, 'Why the item is purged. The same rules as for other reasons.'),
  }),
  Release: {
    ...closed(
      {},
      {
        reason,
        cause: described({ enum: ['manual_hold', 'abuse'] }, 'The cause to lift. Absent: `manual_hold`.'),
      },
    ),
    anyOf: [{ required: ['reason'] }, { required: ['cause'] }],
  },
};

export const accountSchemas: Properties = { ...answers, ...requests };
