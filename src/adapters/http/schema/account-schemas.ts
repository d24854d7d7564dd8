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
  id,
  integer,
  type JsonSchema,
  orNull,
  type Properties,
  ref,
  text,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

const status: JsonSchema = { enum: ['active', 'suspended', 'revoked'] };
const causes = arrayOf({ enum: SUSPENSION_CAUSES });
/** The full rule is `domain/accounts/reason.ts`; this is the part that JSON Schema can express. */
const reason: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: `${REASON_LENGTH.minimum} to ${REASON_LENGTH.maximum} characters, after spaces at both ends are removed. No control characters except line breaks. API keys are cut to their prefix.`,
};
/** The full rule (D26) is `domain/keys/label.ts`; this is the part that JSON Schema can express. */
const label: JsonSchema = {
  type: 'string',
  description: `${LABEL_LENGTH.minimum} to ${LABEL_LENGTH.maximum} characters, after spaces at both ends are removed. No control characters and no API keys.`,
};

const key: Properties = {
  key_id: id,
  account_id: id,
  prefix: text,
  label: orNull(text),
  status,
  causes,
  scopes: arrayOf({ enum: SCOPES }),
  issued_at: writtenMoment,
  revoked_at: orNull(writtenMoment),
  revocation_cause: orNull({ enum: REVOCATION_CAUSES }),
  grace_until: orNull(writtenMoment),
  predecessor_id: orNull(id),
  successor_id: orNull(id),
  overlap_ends_at: orNull(writtenMoment),
  last_used_at: orNull(writtenMoment),
};

const dunning = closed({
  open_invoices: arrayOf(
    closed({
      invoice_id: id,
      first_failed_at: writtenMoment,
      failed_retries: integer,
      next_retry_at: orNull(writtenMoment),
      deadline: writtenMoment,
    }),
  ),
  suspends_at: orNull(writtenMoment),
});

/** Requests and responses of the operator API (D30). */
export const accountSchemas: Properties = {
  Account: closed({
    account_id: id,
    subscription_id: id,
    email: text,
    processor_customer_id: orNull(id),
    opened_at: writtenMoment,
    subscription: closed({
      subscription_id: id,
      plan: { enum: PLAN_NAMES },
      state: { enum: SUBSCRIPTION_STATES },
      causes,
      dunning: orNull(dunning),
      abuse_detection: boolean,
      processor_subscription_id: orNull(id),
      trial_ends_at: orNull(writtenMoment),
      period_ends_at: orNull(writtenMoment),
    }),
    keys: arrayOf(ref('Key')),
    audit: arrayOf(ref('AuditEntry')),
  }),
  Key: closed(key),
  KeyWithAudit: closed({ ...key, audit: arrayOf(ref('AuditEntry')) }),
  IssuedKey: closed({
    ...key,
    key: { type: 'string', description: 'The full value. It is returned only once.' },
  }),
  AuditEntry: closed({
    at: writtenMoment,
    actor: text,
    event: { enum: [...ACCOUNT_EVENTS, ...KEY_EVENTS] },
    cause: orNull({ enum: [...SUSPENSION_CAUSES, ...REVOCATION_CAUSES] }),
    reason: orNull(text),
    key_id: orNull(id),
  }),
  NewAccount: closed(
    { email: { type: 'string', format: 'email', maxLength: 254 }, plan: { enum: PLAN_NAMES } },
    { processor_customer_id: id },
  ),
  CustomerLink: closed({ processor_customer_id: id }),
  AbuseDetection: closed({ enabled: boolean, reason }),
  NewKey: closed({}, { label }),
  Revocation: closed({ cause: { enum: ['rotation', 'manual'] } }, { reason }),
  HoldRequest: closed({ reason }),
  Release: {
    ...closed({}, { reason, cause: { enum: ['manual_hold', 'abuse'] } }),
    anyOf: [{ required: ['reason'] }, { required: ['cause'] }],
  },
};
