import type { Account, AuditContext, Change } from '../accounts/account.js';

/** A person at a provider signs in to the account for the first time, and from then on. The entry says at which. */
export const joinIdentity = (
  account: Account,
  issuer: string,
  context: Omit<AuditContext, 'reason'>,
): Change => ({
  next: account,
  entries: [{ ...context, reason: issuerName(issuer), event: 'identity_joined', key: null }],
});

/** Whoever signed in at a provider must prove anew that the account's address is theirs. */
export const removeIdentities = (account: Account, context: AuditContext): Change => ({
  next: account,
  entries: [{ ...context, event: 'identities_removed', key: null }],
});

/** An issuer as people know it: `accounts.google.com`. */
export const issuerName = (issuer: string): string =>
  URL.canParse(issuer) ? new URL(issuer).host || issuer : issuer;
