import type { NoticeContent } from '../../domain/accounts/notice.js';
import { type Plans, planTitle } from '../../domain/billing/plan.js';
import type { SubscriptionState } from '../../domain/billing/subscription.js';
import type { DestinationKind } from '../../domain/destinations/destination.js';
import type { DisabledCause } from '../../domain/destinations/destination-state.js';
import type { SuspensionCause } from '../../domain/keys/suspension.js';
import type { Moment } from '../../domain/moment.js';

export type Email = {
  readonly subject: string;
  readonly text: string;
  /** The same content for readers of HTML. */
  readonly html?: string;
};

/** The email for a notice: what happened, the effect on the keys, and what to do. It never contains the value of a key. */
export function emailOf<Kind extends NoticeContent['kind']>(news: ContentOf<Kind>, plans: Plans): Email {
  const { subject, paragraphs } = TEMPLATES[news.kind as Kind];
  return email(subject, paragraphs(news, plans));
}

type ContentOf<Kind extends NoticeContent['kind']> = NoticeContent & { readonly kind: Kind };

type EmailTemplate<Kind extends NoticeContent['kind']> = {
  readonly subject: string;
  readonly paragraphs: (news: ContentOf<Kind>, plans: Plans) => readonly string[];
};

const TEMPLATES: { readonly [Kind in NoticeContent['kind']]: EmailTemplate<Kind> } = {
  payment_failed: {
    subject: 'Payment failed',
    paragraphs: ({ invoice, nextRetryAt, deadline }) => [
      `The payment for your subscription failed (invoice ${invoice}).`,
      nextRetryAt === null
        ? 'No further retry is expected.'
        : `The next retry is expected on ${day(nextRetryAt)}.`,
      `Your keys work until ${day(deadline)}. To keep access, pay the invoice or update your payment method before then.`,
    ],
  },
  suspended: {
    subject: 'Your API access is suspended',
    paragraphs: ({ causes, state, keysAreRevoked }) => [
      keysAreRevoked
        ? 'Your old keys stay revoked. You can create new keys once this is resolved.'
        : 'Requests with your keys currently return 402. No key is lost: your keys work again, unchanged, once this is resolved.',
      ...causes.map((cause) => CAUSES[cause]),
      ...(STATES[state] === undefined ? [] : [STATES[state] ?? '']),
    ],
  },
  restored: {
    subject: 'Your API access is restored',
    paragraphs: ({ plan, keysAreRevoked }, plans) => [
      keysAreRevoked
        ? `You are on the ${planTitle(plans, plan)} plan. Create new keys: your old keys stay revoked.`
        : `Your keys work again, unchanged, on the ${planTitle(plans, plan)} plan.`,
    ],
  },
  canceled: {
    subject: 'Your subscription has ended',
    paragraphs: () => [
      'The subscription has ended. Its keys are permanently revoked. To subscribe again, reply to this email. Then create new keys.',
    ],
  },
  key_issued: {
    subject: 'API key created',
    paragraphs: ({ key }) => [`${keyName(key)} was created. ${NOT_YOU}`],
  },
  key_rotated: {
    subject: 'API key rotation started',
    paragraphs: ({ key }) => [
      `${keyName(key)} was created to replace an older key. Both keys work now. Deploy the new key, then retire the old one. 24 hours after the first request with the new key, the old key is retired automatically.`,
      NOT_YOU,
    ],
  },
  successor_unused: {
    subject: 'Your new API key is not used yet',
    paragraphs: ({ key, issuedAt }) => [
      `${keyName(key)} was created on ${day(issuedAt)} to replace an older key. No request with it has been served yet, so the older key is not retired.`,
      'Deploy the new key. If you do not need it, revoke it on the Keys page: the old key then works as before.',
    ],
  },
  key_retired: {
    subject: 'API key retired',
    paragraphs: ({ key, worksUntil }) => [
      `${keyName(key)} was retired. It works until ${day(worksUntil)}, ${time(worksUntil)}.`,
    ],
  },
  key_expiring: {
    subject: 'Your API key expires soon',
    paragraphs: ({ key, expiresAt }) => [
      `${keyName(key)} expires on ${day(expiresAt)}, ${time(expiresAt)}. Requests with it then return 401. This cannot be undone.`,
      'To replace it without interruption, rotate it on the Keys page before that time: the new key does not expire unless you set that. To keep it, move or remove its expiry on its page.',
    ],
  },
  key_expired: {
    subject: 'API key expired',
    paragraphs: ({ key }) => [
      `${keyName(key)} has reached the expiry that was set for it, and is permanently revoked. Requests with it return 401. If you still need a key, create a new one.`,
    ],
  },
  key_revoked: {
    subject: 'API key revoked',
    paragraphs: ({ key }) => [`${keyName(key)} was permanently revoked. ${NOT_YOU}`],
  },
  key_suspended: {
    subject: 'API key suspended',
    paragraphs: ({ key, causes }) => [
      `Requests with the ${keyName(key)} currently return 402. It works again, unchanged, once this is resolved.`,
      ...causes.map((cause) => CAUSES[cause]),
    ],
  },
  key_restored: {
    subject: 'API key restored',
    paragraphs: ({ key }) => [`${keyName(key)} works again, unchanged.`],
  },
  destination_failing: {
    subject: 'A destination does not answer',
    paragraphs: ({ destination, since }) => [
      `Deliveries to the ${destinationName(destination)} have failed since ${day(since)}, ${time(since)}.`,
      'The service repeats them. Nothing is lost: what you missed is sent once the receiver answers with a status from 200 to 299. After three days of failures the destination is disabled.',
      'The Destinations page shows each try with its error.',
    ],
  },
  destination_disabled: {
    subject: 'A destination was disabled',
    paragraphs: ({ destination, cause, since }) => [
      `The ${destinationName(destination)} was disabled. ${DISABLED[cause]}`,
      `The failures began on ${day(since)}, ${time(since)}.`,
      'Repair the receiver, then enable the destination on the Destinations page. It goes on from where it stopped, so that nothing is missed.',
    ],
  },
  quota_used: {
    subject: 'Requests of today',
    paragraphs: ({ level, quota, plan, resetsAt }, plans) => [
      level === 100
        ? `All ${number(quota)} requests that the ${planTitle(plans, plan)} plan has for a day are used. Further requests get 429 until ${day(resetsAt)}, ${time(resetsAt)}.`
        : `80% of the ${number(quota)} requests that the ${planTitle(plans, plan)} plan has for a day are used. When all are used, requests get 429 until ${day(resetsAt)}, ${time(resetsAt)}.`,
      'The Usage page shows which key sends them. Poll with If-None-Match, or use the stream, to need fewer requests. The Plan page shows larger plans.',
      'You get at most two such emails a day. You can switch them off on the Usage page, under “Emails about your quota”.',
    ],
  },
  identity_joined: {
    subject: 'New sign-in method',
    paragraphs: ({ issuer }) => [
      `Someone signed in to your account with ${issuer} for the first time. Their account there has your email address. They can now sign in without an emailed link.`,
      'If this was not you, sign in with an emailed link. Choose “Disconnect all and sign out everywhere” on the Plan page. Then revoke your keys and reply to this email.',
    ],
  },
};

export const signInEmail = ({ url, endsAt }: { readonly url: string; readonly endsAt: Moment }): Email =>
  email('Your sign-in link', [
    `Use this link to sign in to Oddswire. It works once, until ${time(endsAt)}:`,
    url,
    'If you did not request this link, ignore this email. Nobody can sign in without the link.',
  ]);

/** Asks whether changes of the feed may be sent to this address. */
export const confirmationEmail = ({
  account,
  url,
  endsAt,
}: {
  readonly account: string;
  readonly url: string;
  readonly endsAt: Moment;
}): Email =>
  email('Confirm your email address', [
    `The holder of the Oddswire account ${account} wants to send changes of the news feed to this address. To agree, open this link before ${day(endsAt)}, ${time(endsAt)}:`,
    url,
    'If you do not want these emails, ignore this one. Without your confirmation none is sent. Every later email has a link to unsubscribe.',
  ]);

const email = (subject: string, paragraphs: readonly string[]): Email => ({
  subject: `Oddswire: ${subject}`,
  text: `${paragraphs.join('\n\n')}\n`,
});

/** `3 March 2026`, as on the pages. */
const day = (moment: string): string =>
  new Date(moment).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

const number = (value: number): string => value.toLocaleString('en-US');

/** `14:05 UTC`. */
const time = (moment: string): string => `${moment.slice(11, 16)} UTC`;

const keyName = ({ prefix, label }: { readonly prefix: string; readonly label: string | null }): string =>
  label === null ? `API key ${prefix}…` : `API key ${prefix}… (${label})`;

const destinationName = ({
  label,
  kind,
}: {
  readonly label: string;
  readonly kind: DestinationKind;
}): string => `${kind} destination “${label}”`;

/** Why a destination was disabled. */
const DISABLED: Readonly<Record<DisabledCause, string>> = {
  gone: 'Its receiver answered 410, which means that it does not exist any more.',
  failed: 'Its receiver failed for three days.',
  operator: 'An operator disabled it. Reply to this email for the reason.',
  unsubscribed: 'Its reader unsubscribed.',
};

const NOT_YOU = 'If this was not you, revoke your keys and reply to this email.';

/** The reasons. The pages use the same sentences; `email-templates.spec.ts` compares them. */
const CAUSES: Readonly<Record<SuspensionCause, string>> = {
  payment_failure: 'An invoice was not paid in time. Pay every open invoice.',
  abuse:
    'The use of your keys looks like abuse. Reply to this email and tell us which programs use your keys.',
  manual_hold: 'We placed a hold. Reply to this email to have it released.',
};

const STATES: Readonly<Partial<Record<SubscriptionState, string>>> = {
  unpaid: 'The subscription is unpaid. Pay any open invoice and check your payment method.',
  paused: 'The subscription is paused. Resume the subscription.',
  incomplete: 'The first payment is not complete. Complete the first payment.',
};
