import { type EmailAddress, mailboxOf } from '../../domain/accounts/email-address.js';
import { ATTEMPTS_FROM_ADDRESS, type ClientGroups, LINKS_TO_MAILBOX } from '../../domain/limits/attempt.js';
import type { Refusal } from '../../domain/refusal.js';
import { isValid, type LinkToken, linkToken } from '../../domain/sign-in/sign-in.js';
import type { CountAttempt } from '../limits/count-attempt.js';
import type { Quotas } from '../limits/quotas.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Delivery, MailSignInLink } from '../ports/accounts/mailer.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';
import type { FindOrOpenAccount } from './find-or-open-account.js';
import type { StartedSession, StartSession } from './start-session.js';

/** `asker` is a secret for the browser that requested the link. A browser with this secret needs no confirmation. */
export type AskedLink =
  | { readonly outcome: 'asked'; readonly asker: string }
  | { readonly outcome: 'too many'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'mail unavailable' };

/** A valid link: the address that it signs in, and whether this browser requested it. */
export type FoundLink = { readonly email: EmailAddress; readonly isAskedHere: boolean };

export type SignInByLinkParts = {
  readonly accounts: Accounts;
  readonly oneTimeTokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly countAttempt: CountAttempt;
  /** Limits emails to addresses without an account, by the subnet of the client (D106). */
  readonly mailsWithoutAccount: Quotas;
  readonly mail: MailSignInLink;
  /** The URL in the mail, for the secret of a one-time token. */
  readonly urlOf: (secret: string) => string;
  /** Called if an email failed after the response was sent. */
  readonly report: (fault: unknown) => void;
  readonly findOrOpenAccount: FindOrOpenAccount;
  readonly startSession: StartSession;
  /** Called when a link was opened, for metrics; `limited`: a new account may not be opened now. */
  readonly note?: (result: 'signed_in' | 'refused' | 'limited') => void;
};

/** Sign-in by an emailed link. A link works once, within 15 minutes. */
export class SignInByLink {
  readonly #parts: SignInByLinkParts;

  constructor(parts: SignInByLinkParts) {
    this.#parts = parts;
  }

  async ask(email: EmailAddress, client: ClientGroups): Promise<AskedLink> {
    const wait = await this.#parts.countAttempt(`dashboard ${client.address}`, ATTEMPTS_FROM_ADDRESS);
    return wait === null ? this.#mailTo(email, client) : { outcome: 'too many', retryAfterSeconds: wait };
  }

  async find(secret: string, asker: string | null): Promise<FoundLink | null> {
    const token = await this.#validLink(secret);
    if (token === null) return null;
    const isAskedHere = asker !== null && this.#parts.secrets.hash(asker) === token.askedBy;
    return { email: token.email, isAskedHere };
  }

  /**
   * Uses the link. Null if it was used, has expired, was removed when the account holder signed out everywhere, or
   * never existed. If its account cannot be opened now (`rate_limited`), the link stays valid.
   */
  async open(
    secret: string,
    client: ClientGroups,
    previous: string | null,
  ): Promise<StartedSession | Refusal<'rate_limited'> | null> {
    const opened = await this.#open(secret, client, previous);
    if (opened === null) this.#parts.note?.('refused');
    else this.#parts.note?.('refused' in opened ? 'limited' : 'signed_in');
    return opened;
  }

  async #open(
    secret: string,
    client: ClientGroups,
    previous: string | null,
  ): Promise<StartedSession | Refusal<'rate_limited'> | null> {
    const { oneTimeTokens, sessions, secrets, findOrOpenAccount, startSession } = this.#parts;
    const link = await this.#validLink(secret);
    if (link === null) return null;
    const account = await findOrOpenAccount(link.email, client.subnet);
    if ('refused' in account) return account;
    // The session starts before the link is taken. An unavailable store therefore uses up no link, and
    // `signOutEverywhere`, which removes links before it ends sessions, always finds one of the two.
    const started = await startSession({ kind: 'account', account: account.id }, null);
    const isTaken = (await oneTimeTokens.take(secrets.hash(secret))) !== null;
    const ended = isTaken ? previous : started.secret;
    if (ended !== null) await sessions.end(secrets.hash(ended));
    return isTaken ? started : null;
  }

  async #validLink(secret: string): Promise<LinkToken | null> {
    const { oneTimeTokens, secrets, clock } = this.#parts;
    const token = await oneTimeTokens.find(secrets.hash(secret));
    return token?.kind === 'link' && isValid(token, clock()) ? token : null;
  }

  /**
   * The result does not show whether the address has an account; the first link of an address opens one. It also does
   * not show whether a limit was reached: that of the mailbox, or that of the client for addresses without an account.
   */
  async #mailTo(email: EmailAddress, client: ClientGroups): Promise<AskedLink> {
    const { accounts, secrets, countAttempt, mailsWithoutAccount, report } = this.#parts;
    const asked: AskedLink = { outcome: 'asked', asker: secrets.make() };
    if ((await countAttempt(mailboxOf(email), LINKS_TO_MAILBOX)) !== null) return asked;
    if ((await accounts.findByEmail(email)) !== null) {
      const isUsedUp = await mailsWithoutAccount.isExhausted(client.subnet);
      const delivering = this.#deliver(email, asked.asker);
      if (!isUsedUp) return answerTo(await delivering, asked);
      // At this limit, a request for an address without an account gets its response at once, because no email is sent.
      // This one also gets it at once, so that the time shows nothing.
      delivering.catch(report);
      return asked;
    }
    const permit = await mailsWithoutAccount.take(client.subnet);
    if ('refused' in permit) return asked;
    const delivery = await this.#deliver(email, asked.asker);
    if (delivery === 'not now') await permit.giveBack();
    return answerTo(delivery, asked);
  }

  async #deliver(email: EmailAddress, asker: string): Promise<Delivery> {
    const { oneTimeTokens, secrets, clock, mail, urlOf } = this.#parts;
    const secret = secrets.make();
    const token = linkToken(email, secrets.hash(asker), clock());
    await oneTimeTokens.keep(secrets.hash(secret), token);
    return mail(email, { url: urlOf(secret), endsAt: token.expiresAt });
  }
}

const answerTo = (delivery: Delivery, asked: AskedLink): AskedLink =>
  delivery === 'not now' || delivery === 'in doubt' ? { outcome: 'mail unavailable' } : asked;
