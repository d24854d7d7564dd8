import { ATTEMPTS_FROM_ADDRESS, LINKS_TO_MAILBOX } from '../domain/attempt.js';
import { type EmailAddress, mailboxOf } from '../domain/email-address.js';
import { isValid, type LinkTicket, linkTicket } from '../domain/sign-in.js';
import type { CountAttempt } from './count-attempt.js';
import type { FindOrOpenAccount } from './find-or-open-account.js';
import type { Clock } from './ports/clock.js';
import type { MailSignInLink } from './ports/mailer.js';
import type { Secrets } from './ports/secrets.js';
import type { Tickets } from './ports/tickets.js';
import type { StartedSession, StartSession } from './start-session.js';

/** `asker` is for the browser that asked: with it the link needs no further word. */
export type AskedLink =
  | { readonly outcome: 'asked'; readonly asker: string }
  | { readonly outcome: 'too many'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'mail away' };

/** A link that is still good: whom it signs in, and whether it came back to the browser that asked for it. */
export type FoundLink = { readonly email: EmailAddress; readonly isAskedHere: boolean };

/** Signing in by a mailed link: once, within 15 minutes. */
export const signInByLink = (parts: {
  readonly tickets: Tickets;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly countAttempt: CountAttempt;
  readonly mail: MailSignInLink;
  /** The address in the mail, for the secret of a ticket. */
  readonly urlOf: (secret: string) => string;
  readonly findOrOpenAccount: FindOrOpenAccount;
  readonly startSession: StartSession;
}) => {
  const { tickets, secrets, clock, countAttempt } = parts;

  async function validLink(secret: string): Promise<LinkTicket | null> {
    const ticket = await tickets.find(secrets.hash(secret));
    return ticket?.kind === 'link' && isValid(ticket, clock()) ? ticket : null;
  }

  return {
    /**
     * The answer is the same whether the address has an account or not: the first link opens one. Neither does it tell
     * that an address was mailed too often, by whomever.
     */
    async ask(email: EmailAddress, clientAddress: string): Promise<AskedLink> {
      const wait = await countAttempt(`dashboard ${clientAddress}`, ATTEMPTS_FROM_ADDRESS);
      if (wait !== null) return { outcome: 'too many', retryAfterSeconds: wait };
      const asker = secrets.make();
      if ((await countAttempt(mailboxOf(email), LINKS_TO_MAILBOX)) !== null)
        return { outcome: 'asked', asker };
      const secret = secrets.make();
      const now = clock();
      const ticket = linkTicket(email, secrets.hash(asker), now);
      await tickets.keep(secrets.hash(secret), ticket, now);
      const delivery = await parts.mail(email, { url: parts.urlOf(secret), endsAt: ticket.expiresAt });
      return delivery === 'not now' || delivery === 'in doubt'
        ? { outcome: 'mail away' }
        : { outcome: 'asked', asker };
    },

    async look(secret: string, asker: string | null): Promise<FoundLink | null> {
      const ticket = await validLink(secret);
      if (ticket === null) return null;
      const isAskedHere = asker !== null && secrets.hash(asker) === ticket.askedBy;
      return { email: ticket.email, isAskedHere };
    },

    /** Null when the link is spent: used, too old, or never sent. */
    async open(secret: string, previous: string | null): Promise<StartedSession | null> {
      const link = await validLink(secret);
      if (link === null) return null;
      // Before it is taken: a link is not to be spent on a store that is away.
      const account = await parts.findOrOpenAccount(link.email);
      if ((await tickets.take(secrets.hash(secret))) === null) return null;
      return parts.startSession({ kind: 'account', account: account.id }, previous);
    },
  };
};

export type SignInByLink = ReturnType<typeof signInByLink>;
