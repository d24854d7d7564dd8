import type { Account, AuditContext, Change } from '../accounts/account.js';
import { parsedUrl } from '../parsed-url.js';

/** Records that an identity joined the account. From then on it can sign in. The audit entry names the provider. */
export const recordJoin = (
  account: Account,
  issuer: string,
  context: Omit<AuditContext, 'reason'>,
): Change => ({
  next: account,
  entries: [{ ...context, reason: issuerName(issuer), event: 'identity_joined', key: null }],
});

/** Records that all identities were removed. Each must prove again that it has the email address of the account. */
export const recordRemoval = (account: Account, context: AuditContext): Change => ({
  next: account,
  entries: [{ ...context, event: 'identities_removed', key: null }],
});

/** The name of an issuer for people: its host (`accounts.google.com`), or the whole issuer if it has no host. */
export const issuerName = (issuer: string): string => parsedUrl(issuer)?.host || issuer;
