import { githubIdentityProvider } from '../adapters/identity/github-identity-provider.js';
import { oidcIdentityProvider } from '../adapters/identity/oidc-identity-provider.js';
import { loggedDigest, logMailer, shownConfirmation, shownSignInLink } from '../adapters/mail/log-mailer.js';
import { stripePorts } from '../adapters/stripe/stripe-ports.js';
import { hmacReferenceSigner } from '../adapters/system/hmac-reference-signer.js';
import type { Mailer, MailSignInLink } from '../application/ports/accounts/mailer.js';
import type { MailConfirmation, MailDigest } from '../application/ports/destinations/mail-digest.js';
import type { BillingRules } from '../domain/billing/account-payments.js';
import type { Made } from './container/container.js';
import type { Drivers } from './drivers.js';
import type { StoreParts } from './stores.js';

/** Signs checkout references. Null without a webhook secret: the service would not be notified of the payment. */
export const signing = ({ config }: StoreParts) => ({
  referenceSigner: () => {
    const [secret, ...former] = config.payments.webhookSecrets;
    return secret === undefined ? null : hmacReferenceSigner([secret, ...former]);
  },
});

type WithSigner = StoreParts & Made<typeof signing>;

/** The payment ports and the billing rules (D27–D29). */
export const payments = (parts: WithSigner) => {
  const { pastDue, schedule, ...settings } = parts.config.payments;
  const isSignedHere = (content: string, signature: string) =>
    parts.referenceSigner?.isSigned(content, signature) ?? false;
  return {
    ...stripePorts(settings, isSignedHere),
    billingRules: (): BillingRules => {
      const deadlineRule = settings.apiKey === undefined ? 'no processor' : 'unreachable';
      return { schedule, pastDue, deadlineRule };
    },
  };
};

/** How account holders get email. */
export const mail = (driver: Drivers['smtp']) => (parts: StoreParts) => {
  const { smtpUrl: url = '', smtpAllowsPlain: allowsPlain, mailFrom: from } = parts.config;
  const report = (fault: unknown) => parts.log.warn({ err: fault }, 'an email could not be sent');
  const smtp =
    driver === null ? null : new driver.SmtpMailer({ url, from, allowsPlain, report, plans: parts.plans });
  return {
    mailer: (): Mailer =>
      smtp ?? logMailer((notice) => parts.log.info({ notice }, 'an email was not sent: SMTP_URL is not set')),
    mailDigest: (): MailDigest | null =>
      smtp?.sendDigest ??
      loggedDigest((digest) => parts.log.info({ digest }, 'an email was not sent: SMTP_URL is not set')),
    /** Null as for links to sign in. */
    mailConfirmation: (): MailConfirmation | null => {
      const { isPrivate, isSecure } = parts.publicAddress;
      if (!isPrivate) return null;
      if (smtp !== null) return smtp.sendConfirmation;
      return isSecure ? null : shownConfirmation((text) => console.error(text));
    },
    /** Null if others could read the link (plain http, not localhost). With https, null without a mail server. */
    mailSignInLink: (): MailSignInLink | null => {
      const { isPrivate, isSecure } = parts.publicAddress;
      if (!isPrivate) return null;
      if (smtp !== null) return smtp.sendSignInLink;
      // On localhost, the person who reads the terminal is the person who signs in.
      return isSecure ? null : shownSignInLink((text) => console.error(text));
    },
  };
};

/** The identity providers, in the order in which a page offers them. */
export const identity = ({ config }: StoreParts) => ({
  identityProviders: () => {
    const { oidc, github } = config.identity;
    return [
      ...(oidc === undefined ? [] : [oidcIdentityProvider(oidc)]),
      ...(github === undefined ? [] : [githubIdentityProvider(github)]),
    ];
  },
});

export type ExternalParts = WithSigner &
  Made<typeof payments> &
  Made<ReturnType<typeof mail>> &
  Made<typeof identity>;
