import type { News } from '../../domain/accounts/notice.js';
import type { SubscriptionState } from '../../domain/billing/subscription.js';
import type { SuspensionCause } from '../../domain/keys/suspension.js';
import type { Moment } from '../../domain/moment.js';

export type Email = { readonly subject: string; readonly text: string };

/** A notice in words: what happened, what it means for the keys, and what to do. No key value is ever in it. */
export function emailOf<Kind extends News['kind']>(news: NewsOf<Kind>): Email {
  const { subject, paragraphs } = TEMPLATES[news.kind as Kind];
  return email(subject, paragraphs(news));
}

type NewsOf<Kind extends News['kind']> = News & { readonly kind: Kind };

type EmailTemplate<Kind extends News['kind']> = {
  readonly subject: string;
  readonly paragraphs: (news: NewsOf<Kind>) => readonly string[];
};

/** By the kind of news. */
const TEMPLATES: { readonly [Kind in News['kind']]: EmailTemplate<Kind> } = {
  payment_failed: {
    subject: 'A payment failed',
    paragraphs: ({ invoice, nextRetryAt, deadline }) => [
      `A payment for your subscription failed (invoice ${invoice}).`,
      nextRetryAt === null
        ? 'No further attempt is planned.'
        : `It will be tried again on ${day(nextRetryAt)}.`,
      `Your keys go on working until ${day(deadline)}. Pay the invoice, or renew your payment method, before then.`,
    ],
  },
  suspended: {
    subject: 'Your subscription is on hold',
    paragraphs: ({ causes, state, keysAreRevoked }) => [
      keysAreRevoked
        ? 'You need new keys, which can be created once this is settled: those of before stay revoked.'
        : 'Requests with your keys are answered with 402 for now. No key is lost: each works again, unchanged, once this is settled.',
      ...causes.map((cause) => CAUSES[cause]),
      ...(STATES[state] === undefined ? [] : [STATES[state] ?? '']),
    ],
  },
  restored: {
    subject: 'Your subscription is active again',
    paragraphs: ({ plan, keysAreRevoked }) => [
      keysAreRevoked
        ? `It is on the ${plan} plan. Create new keys: those of before stay revoked.`
        : `Your keys work again, unchanged, on the ${plan} plan.`,
    ],
  },
  canceled: {
    subject: 'Your subscription has ended',
    paragraphs: () => [
      'It was canceled, and its keys were revoked for good. To subscribe again, answer this mail; then create new keys.',
    ],
  },
  key_issued: {
    subject: 'A new API key',
    paragraphs: ({ key }) => [`${keyNames(key)} was issued. ${NOT_YOU}`],
  },
  key_rotated: {
    subject: 'A key is being rotated',
    paragraphs: ({ key }) => [
      `${keyNames(key)} was issued to succeed an older one; both work now. Deploy it, then retire the older one: the service does so itself after 24 hours.`,
      NOT_YOU,
    ],
  },
  key_retired: {
    subject: 'A rotated key is retired',
    paragraphs: ({ key, worksUntil }) => [
      `${keyNames(key)} was retired and works until ${worksUntil.slice(0, 19)}Z.`,
    ],
  },
  key_revoked: {
    subject: 'A key was revoked',
    paragraphs: ({ key }) => [`${keyNames(key)} was revoked for good. ${NOT_YOU}`],
  },
  key_suspended: {
    subject: 'A key is on hold',
    paragraphs: ({ key, causes }) => [
      `Requests with ${keyNames(key)} are answered with 402 for now. It works again, unchanged, once this is settled.`,
      ...causes.map((cause) => CAUSES[cause]),
    ],
  },
  key_restored: {
    subject: 'A key works again',
    paragraphs: ({ key }) => [`${keyNames(key)} works again, unchanged.`],
  },
  identity_joined: {
    subject: 'A new way to sign in',
    paragraphs: ({ issuer }) => [
      `Somebody signed in to your account with ${issuer} for the first time, as a person there who has this mail address. From now on they get in without a mailed link.`,
      'If that was not you: sign in by a mailed link, choose “Forget these and sign out everywhere” on the page of your subscription, revoke your keys and write to us.',
    ],
  },
};

/** The link that signs somebody in. */
export const signInEmail = ({ url, endsAt }: { readonly url: string; readonly endsAt: Moment }): Email =>
  email('Your sign-in link', [
    `This link signs you in to Oddswire, once, until ${endsAt.slice(11, 16)} UTC:`,
    url,
    'If you did not ask for it, do nothing: without it nobody gets in.',
  ]);

const email = (subject: string, paragraphs: readonly string[]): Email => ({
  subject: `Oddswire: ${subject}`,
  text: `${paragraphs.join('\n\n')}\n`,
});

const day = (moment: string): string => moment.slice(0, 10);

const keyNames = ({ prefix, label }: { readonly prefix: string; readonly label: string | null }): string =>
  label === null ? `The key ${prefix}…` : `The key ${prefix}… (${label})`;

const NOT_YOU = 'If that was not you, revoke your keys and write to us.';

const CAUSES: Readonly<Record<SuspensionCause, string>> = {
  payment_failure: 'Why: a payment failed again and again. The way back: pay every open invoice.',
  abuse:
    'Why: your keys were used in a way that looks like abuse. The way back: answer this mail, and tell us what runs.',
  manual_hold: 'Why: we have placed a hold. The way back: answer this mail.',
};

const STATES: Readonly<Partial<Record<SubscriptionState, string>>> = {
  unpaid:
    'Why: the subscription is unpaid. The way back: pay any open invoice, and check your payment method.',
  paused: 'Why: the subscription is paused. The way back: resume it.',
  incomplete: 'Why: its first payment has not gone through. The way back: complete the payment.',
};
