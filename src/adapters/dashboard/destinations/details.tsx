import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import type { DestinationAction } from '../../../domain/destinations/account-destinations.js';
import type { DeliveryId, Destination } from '../../../domain/destinations/destination.js';
import { readLabel } from '../../../domain/keys/label.js';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo, parameter } from '../state.js';
import type { HolderVisit } from '../visit.js';
import { NewSecretPage } from './created-page.js';
import { readFilter, typedFilter } from './destination-draft.js';
import { destinationFlash } from './destination-flash.js';
import {
  DESTINATIONS_PATH,
  type DestinationFormHandler,
  type DestinationPageParts,
  destinationPath,
  formWithDestination,
  mayChangeDestination,
  pageWithDestination,
} from './destination-page.js';
import {
  awaitsConsent,
  DetailsPage,
  type DetailsPageProps,
  isEnabledByOwner,
  isTestable,
  RemovalPage,
} from './details-page.js';
import { sendConfirmation, waitForConfirmation } from './send-confirmation.js';

const PATH = `${DESTINATIONS_PATH}/:id`;

/** One destination, and what its owner does with it (D66 to D71). */
export function detailsRoutes(parts: DestinationPageParts): readonly PageRoute[] {
  const { visits, demo } = parts;
  const show = showDetails(parts);
  const page = (handle: Parameters<typeof pageWithDestination>[1]) =>
    visits.page(pageWithDestination(parts, handle));
  const form = (handle: DestinationFormHandler) => visits.form(formWithDestination(parts, handle));
  const change = changing(parts, show);
  return [
    { path: PATH, GET: page((ctx, visit, destination) => show(ctx, visit, destination)) },
    { path: `${PATH}/test`, POST: form(sendingTest(parts, show)) },
    { path: `${PATH}/deliveries`, POST: form(deliveringAgain(parts, show)) },
    { path: `${PATH}/confirmation`, POST: form(confirmationAgain(parts)) },
    { path: `${PATH}/pause`, POST: form((...sent) => change(...sent, { event: 'paused' }, 'paused')) },
    { path: `${PATH}/enabling`, POST: form(enabling(change)) },
    { path: `${PATH}/secret`, POST: form(rotatingSecret(parts)) },
    { path: `${PATH}/settings`, POST: form(editing(parts, show, change)) },
    {
      path: `${PATH}/removal`,
      GET: page((ctx, visit, destination) => {
        const { viewer } = visit;
        answerPage(ctx, <RemovalPage {...{ viewer, destination }} demo={demo(DESTINATIONS_PATH, visit)} />);
      }),
      POST: form((...sent) => change(...sent, { event: 'removed' }, 'removed')),
    },
  ];
}

type Refused = Pick<DetailsPageProps, 'typed'> & { readonly refusal: Refusal };
type Show = (ctx: Context, visit: HolderVisit, destination: Destination, refused?: Refused) => Promise<void>;

/** The page of a destination, after a refusal with its text. */
function showDetails({ destinations, demo }: DestinationPageParts): Show {
  return async (ctx, visit, destination, refused) => {
    const { viewer, now, account } = visit;
    const deliveries = await destinations.deliveries(destination.id);
    const notice: DetailsPageProps['notice'] =
      refused === undefined
        ? destinationFlash(parameter(ctx, 'said'), destination.target, deliveries)
        : { kind: 'bad', text: accountRefusalText(refused.refusal, account) };
    const typed = refused?.typed ?? null;
    const props = { viewer, destination, deliveries, now, notice, typed };
    const page = <DetailsPage {...props} demo={demo(destinationPath(destination.id), visit)} />;
    answerPage(ctx, page, refused === undefined ? 200 : statusOf(refused.refusal));
  };
}

const statusOf = ({ refused }: Refusal): number =>
  refused === 'invalid_body' || refused === 'invalid_parameter' ? 400 : 409;

/** Answers a refusal of a use case. */
function answerRefusal(show: Show, refusal: Refusal, ...[ctx, visit, destination]: Parameters<Show>) {
  if (refusal.refused === 'rate_limited') return answerTooMany(ctx, refusal.retryAfterSeconds);
  if (refusal.refused === 'not_found' && refusal.what === 'destination') return answerError(ctx, 'not found');
  return show(ctx, visit, destination, { refusal, typed: null });
}

type Change = (
  ...sent: [...Parameters<DestinationFormHandler>, action: DestinationAction, code: string]
) => Promise<void>;

function changing(parts: DestinationPageParts, show: Show): Change {
  return async (ctx, visit, destination, _, action, code) => {
    if (!(await mayChangeDestination(ctx, visit, parts))) return;
    const { account, id } = destination;
    const changed = await parts.changeDestination(account, id, action, { actor: CUSTOMER });
    if (changed !== null && isRefusal(changed)) return answerRefusal(show, changed, ctx, visit, destination);
    return goTo(ctx, `${changed === null ? DESTINATIONS_PATH : destinationPath(id)}?said=${code}`);
  };
}

/** A form of an older page is answered with the state of now. */
const enabling =
  (change: Change): DestinationFormHandler =>
  (ctx, visit, destination, form) =>
    isEnabledByOwner(destination)
      ? change(ctx, visit, destination, form, { event: 'enabled' }, 'enabled')
      : goTo(ctx, destinationPath(destination.id));

function sendingTest({ sending }: DestinationPageParts, show: Show): DestinationFormHandler {
  return async (ctx, visit, destination) => {
    if (sending === null || !isTestable(destination)) return goTo(ctx, destinationPath(destination.id));
    const sent = await sending.sendTest(destination.account, destination.id, CUSTOMER);
    if (isRefusal(sent)) return answerRefusal(show, sent, ctx, visit, destination);
    return goTo(ctx, `${destinationPath(destination.id)}?said=tested`);
  };
}

function deliveringAgain({ sending }: DestinationPageParts, show: Show): DestinationFormHandler {
  return async (ctx, visit, destination, form) => {
    if (sending === null || whyNotSent(destination) !== null)
      return show(ctx, visit, destination, { refusal: whyNotSent(destination) ?? CHANGED, typed: null });
    const delivery = (form.get('delivery') ?? '') as DeliveryId;
    const sent = await sending.deliverAgain(destination.account, destination.id, delivery);
    if (isRefusal(sent)) return answerRefusal(show, sent, ctx, visit, destination);
    return goTo(ctx, `${destinationPath(destination.id)}?said=again`);
  };
}

const CHANGED = refuse('changed_meanwhile');

/** To a mailbox whose reader does not agree, nothing is sent again. */
const whyNotSent = (destination: Destination): Refusal | null =>
  awaitsConsent(destination) ? refuse('not_confirmed') : null;

function confirmationAgain(parts: DestinationPageParts): DestinationFormHandler {
  return async (ctx, { account }, destination) => {
    const { sending } = parts;
    const path = destinationPath(destination.id);
    if (sending === null || !awaitsConsent(destination)) return goTo(ctx, path);
    const wait = await waitForConfirmation(parts, account);
    if (wait !== null) return answerTooMany(ctx, wait);
    const sent = await sendConfirmation(parts, sending, destination, account);
    return goTo(ctx, `${path}?said=confirmation-${sent === 'sent' ? 'sent' : 'not-sent'}`);
  };
}

function rotatingSecret(parts: DestinationPageParts): DestinationFormHandler {
  return async (ctx, visit, destination) => {
    const { sending, webhookSigner, demo } = parts;
    const { account, id, target } = destination;
    if (sending === null || target.kind !== 'webhook') return goTo(ctx, destinationPath(id));
    if (!(await mayChangeDestination(ctx, visit, parts))) return;
    const value = webhookSigner.makeSecret();
    const secret = sending.sealing.seal(value, { destination: id, field: 'secret' });
    const action = { event: 'secret_rotated', secret } as const;
    const changed = await parts.changeDestination(account, id, action, { actor: CUSTOMER });
    if (changed === null || isRefusal(changed) || changed.target.kind !== 'webhook')
      return answerError(ctx, 'not found');
    const until = changed.target.secrets.older?.until ?? visit.now;
    const page = { viewer: visit.viewer, destination: changed, secret: value, until };
    answerPage(ctx, <NewSecretPage {...page} demo={demo(destinationPath(id), visit)} />, 201);
  };
}

function editing(parts: DestinationPageParts, show: Show, change: Change): DestinationFormHandler {
  return (ctx, visit, destination, form) => {
    const typed = { label: form.get('label') ?? '', filter: typedFilter(form) };
    const label = readLabel(typed.label, parts.keyFormat);
    const filter = readFilter(typed.filter, parts);
    if (typeof label === 'object') return show(ctx, visit, destination, { refusal: label, typed });
    if (typeof filter === 'object') return show(ctx, visit, destination, { refusal: filter, typed });
    return change(ctx, visit, destination, form, { event: 'edited', label, filter }, 'edited');
  };
}
