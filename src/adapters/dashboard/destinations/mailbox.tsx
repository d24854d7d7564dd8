import type { SentLink } from '../../../application/ports/destinations/destination-links.js';
import type { Destination, DestinationId } from '../../../domain/destinations/destination.js';
import { mayOwnerEnable } from '../../../domain/destinations/destination-state.js';
import { answerPage } from '../page/answer.js';
import { answerOther } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import { DESTINATIONS_PATH, type DestinationPageParts, type DestinationSending } from './destination-page.js';
import { AskMailboxPage, INVALID_LINK, type MailboxAction, MailboxDonePage } from './mailbox-pages.js';

/** The actor in the audit log. */
const READER = 'reader of the mailbox';

type Parts = Pick<DestinationPageParts, 'destinations' | 'changeDestination' | 'clock' | 'sending'>;
type Sending = DestinationSending;

/**
 * The links in emails of destinations. They need no session, and their forms no form token: the token in the address proves that
 * the request comes from a reader of the mailbox, and programs for email send it from elsewhere (RFC 8058).
 */
export function mailboxRoutes(parts: Parts): readonly PageRoute[] {
  const { sending } = parts;
  if (sending === null) return [];
  return [
    { path: `${DESTINATIONS_PATH}/confirm`, ...confirming(parts, sending) },
    { path: `${DESTINATIONS_PATH}/unsubscribe`, ...unsubscribing(parts, sending) },
  ];
}

type Handlers = Pick<Required<PageRoute>, 'GET' | 'POST'>;

function confirming({ destinations, changeDestination, clock }: Parts, { links }: Sending): Handlers {
  /** Null also for a mailbox that is not that of the destination any more, or that an operator has disabled. */
  const found = async (ctx: Context): Promise<Destination | null> => {
    const link = links.readConfirm(sentLink(ctx));
    if (link === null || link.endsAt <= clock()) return null;
    const stored = await destinations.find(link.id);
    const address = addressOf(stored?.destination);
    return stored !== null && address === link.address && mayOwnerEnable(stored.destination.state)
      ? stored.destination
      : null;
  };
  return {
    GET: async (ctx) => {
      const destination = await found(ctx);
      return destination === null ? answerInvalid(ctx) : ask(ctx, 'confirm', addressOf(destination));
    },
    POST: async (ctx) => {
      const destination = await found(ctx);
      if (destination === null) return answerInvalid(ctx);
      if (!isConfirmed(destination)) {
        const { account, id } = destination;
        await changeDestination(account, id, { event: 'confirmed' }, { actor: READER });
      }
      return done(ctx, 'confirm');
    },
  };
}

function unsubscribing({ destinations, changeDestination }: Parts, { links }: Sending): Handlers {
  const find = async (id: DestinationId) => (await destinations.find(id))?.destination;
  return {
    GET: async (ctx) => {
      const id = links.readUnsubscribe(sentLink(ctx));
      if (id === null) return answerInvalid(ctx);
      const destination = await find(id);
      // Of a removed destination, nothing is sent anyway.
      return isEnded(destination)
        ? done(ctx, 'unsubscribe')
        : ask(ctx, 'unsubscribe', addressOf(destination));
    },
    POST: async (ctx) => {
      const id = links.readUnsubscribe(sentLink(ctx));
      if (id === null) return answerInvalid(ctx);
      const destination = await find(id);
      if (destination !== undefined && !isEnded(destination)) {
        const action = { event: 'disabled', cause: 'unsubscribed', reason: null } as const;
        await changeDestination(destination.account, id, action, { actor: READER });
      }
      return done(ctx, 'unsubscribe');
    },
  };
}

const sentLink = (ctx: Context): SentLink => ({
  destination: parameter(ctx, 'destination') ?? '',
  token: parameter(ctx, 'token') ?? '',
});

const addressOf = (destination: Destination | undefined): string =>
  destination?.target.kind === 'email' ? destination.target.address : '';

const isConfirmed = ({ target }: Destination): boolean =>
  target.kind === 'email' && target.confirmedAt !== null;

/** Whether its reader has unsubscribed already: a second request adds no second entry to the audit log. */
const isEnded = (destination: Destination | undefined): boolean =>
  destination === undefined || (!isConfirmed(destination) && destination.state.status === 'disabled');

const ask = (ctx: Context, action: MailboxAction, address: string): void =>
  answerPage(ctx, <AskMailboxPage {...{ action, address }} path={ctx.url} />);

const done = (ctx: Context, action: MailboxAction): void =>
  answerPage(ctx, <MailboxDonePage action={action} />);

const answerInvalid = (ctx: Context): Promise<void> =>
  answerOther(ctx, 404, INVALID_LINK.title, INVALID_LINK.text);
