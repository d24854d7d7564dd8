import { githubIdentityProvider } from '../adapters/identity/github-identity-provider.js';
import { oidcIdentityProvider } from '../adapters/identity/oidc-identity-provider.js';
import { logMailer, shownSignInLink } from '../adapters/mail/log-mailer.js';
import { SmtpMailer } from '../adapters/mail/smtp-mailer.js';
import { stripePorts } from '../adapters/stripe/stripe-ports.js';
import { hmacReferenceSigner } from '../adapters/system/hmac-reference-signer.js';
import type { Mailer, MailSignInLink } from '../application/ports/accounts/mailer.js';
import type { BillingRules } from '../domain/billing/account-payments.js';
import type { Made } from './container.js';
import type { StoreParts } from './stores.js';

/** Signs checkout references; null without a webhook secret, because the service would not learn of the payment. */
export const signing = ({ config }: StoreParts) => ({
  referenceSigner: () => {
    const [secret, ...former] = config.payments.webhookSecrets;
    return secret === undefined ? null : hmacReferenceSigner([secret, ...former]);
  },
});

type WithSigner = StoreParts & Made<typeof signing>;

/** The ports on payments, and the rules for them (D27–D29). */
export const payments = (parts: WithSigner) => {
  const { pastDue, schedule, ...settings } = parts.config.payments;
  const isSignedHere = (content: string, signature: string) =>
    parts.referenceSigner?.isSigned(content, signature) ?? false;
  return {
    ...stripePorts(settings, isSignedHere),
    billingRules: (): BillingRules => {
      const unasked = settings.apiKey === undefined ? 'no processor' : 'unreachable';
      return { schedule, pastDue, unasked };
    },
  };
};

/** How account holders get mail. */
export const mail = (parts: StoreParts) => {
  const { smtpUrl: url, smtpAllowsPlain: allowsPlain, mailFrom: from } = parts.config;
  const report = (fault: unknown) => parts.log.warn({ err: fault }, 'a mail was not taken');
  const smtp = url === undefined ? null : new SmtpMailer({ url, from, allowsPlain, report });
  return {
    mailer: (): Mailer => smtp ?? logMailer((notice) => parts.log.info({ notice }, 'no SMTP_URL: not sent')),
    /** Null where there is no mail server, and somebody else than who runs the service might be reading. */
    mailSignInLink: (): MailSignInLink | null => {
      const { isPrivate, isSecure } = parts.publicAddress;
      if (!isPrivate) return null;
      if (smtp !== null) return smtp.sendSignInLink;
      // On one's own machine who reads the terminal is who signs in.
      return isSecure ? null : shownSignInLink((text) => console.error(text));
    },
  };
};

/** Where people can prove who they are, in the order that a page offers it. */
export const identity = ({ config }: StoreParts) => ({
  identityProviders: () => {
    const { oidc, github } = config.identity;
    return [
      ...(oidc === undefined ? [] : [oidcIdentityProvider(oidc)]),
      ...(github === undefined ? [] : [githubIdentityProvider(github)]),
    ];
  },
});

export type ExternalParts = WithSigner & Made<typeof payments> & Made<typeof mail> & Made<typeof identity>;
