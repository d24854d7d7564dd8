import { type EmailAddress, mailboxOf } from '../../domain/accounts/email-address.js';
import { ATTEMPTS_FROM_ADDRESS, type ClientGroups, LINKS_TO_MAILBOX } from '../../domain/limits/attempt.js';
import type { Refusal } from '../../domain/refusal.js';
import { isValid, type LinkToken, linkToken } from '../../domain/sign-in/sign-in.js';
import type { CountAttempt } from '../limits/count-attempt.js';
import type { Permits } from '../limits/permits.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Delivery, MailSignInLink } from '../ports/accounts/mailer.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { OneTimeTokens } from '../ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../ports/sign-in/sessions.js';
import type { FindOrOpenAccount } from './find-or-open-account.js';
import type { StartedSession, StartSession } from './start-session.js';

/** `asker` is for the browser that asked: with it the link needs no further word. */
export type AskedLink =
  | { readonly outcome: 'asked'; readonly asker: string }
  | { readonly outcome: 'too many'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'mail away' };

/** A link that is still good: whom it signs in, and whether it came back to the browser that asked for it. */
export type FoundLink = { readonly email: EmailAddress; readonly isAskedHere: boolean };

export type SignInByLinkParts = {
  readonly accounts: Accounts;
  readonly oneTimeTokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly countAttempt: CountAttempt;
  /** Mails to addresses without an account, by client subnet. */
  readonly newcomerMails: Permits;
  readonly mail: MailSignInLink;
  /** The address in the mail, for the secret of a ticket. */
  readonly urlOf: (secret: string) => string;
  /** Told of a mail that failed after its asker had been answered. */
  readonly report: (fault: unknown) => void;
  readonly findOrOpenAccount: FindOrOpenAccount;
  readonly startSession: StartSession;
};

/** Signing in by a mailed link: once, within 15 minutes. */
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
   * Null when the link is spent: used, too old, ended by signing out everywhere, or never sent. A link whose account
   * may not be opened now (`rate_limited`) is not spent.
   */
  async open(
    secret: string,
    client: ClientGroups,
    previous: string | null,
  ): Promise<StartedSession | Refusal<'rate_limited'> | null> {
    const { oneTimeTokens, sessions, secrets, findOrOpenAccount, startSession } = this.#parts;
    const link = await this.#validLink(secret);
    if (link === null) return null;
    const account = await findOrOpenAccount(link.email, client.subnet);
    if ('refused' in account) return account;
    // The session starts before the link is taken: a store that is away spends no link, and `signOutEverywhere`, which
    // removes links before it ends sessions, finds one of the two.
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
   * The answer is the same whether the address has an account or not: the first link opens one. Neither does it tell that
   * an address was mailed too often, by whomever, or that its client may ask for no more mails to newcomers.
   */
  async #mailTo(email: EmailAddress, client: ClientGroups): Promise<AskedLink> {
    const { accounts, secrets, countAttempt, newcomerMails, report } = this.#parts;
    const asked: AskedLink = { outcome: 'asked', asker: secrets.make() };
    if ((await countAttempt(mailboxOf(email), LINKS_TO_MAILBOX)) !== null) return asked;
    if ((await accounts.findByEmail(email)) !== null) {
      const isUsedUp = await newcomerMails.areUsedUp(client.subnet);
      const delivering = this.#deliver(email, asked.asker);
      if (!isUsedUp) return answerTo(await delivering, asked);
      // A newcomer would be answered at once now, unmailed. So is the holder of an account: the time tells nothing.
      delivering.catch(report);
      return asked;
    }
    const permit = await newcomerMails.take(client.subnet);
    if ('refused' in permit) return asked;
    const delivery = await this.#deliver(email, asked.asker);
    if (delivery === 'not now') await permit.giveBack();
    return answerTo(delivery, asked);
  }

  async #deliver(email: EmailAddress, asker: string): Promise<Delivery> {
    const { oneTimeTokens, secrets, clock, mail, urlOf } = this.#parts;
    const secret = secrets.make();
    const now = clock();
    const token = linkToken(email, secrets.hash(asker), now);
    await oneTimeTokens.keep(secrets.hash(secret), token, now);
    return mail(email, { url: urlOf(secret), endsAt: token.expiresAt });
  }
}

const answerTo = (delivery: Delivery, asked: AskedLink): AskedLink =>
  delivery === 'not now' || delivery === 'in doubt' ? { outcome: 'mail away' } : asked;
