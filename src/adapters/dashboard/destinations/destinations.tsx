import { knownPlan } from '../../../application/billing/known-plan.js';
import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import { whyNotDelivered } from '../../../domain/destinations/account-destinations.js';
import type { Destination } from '../../../domain/destinations/destination.js';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { answerTooMany } from '../page/error-page.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import type { FormPage, HolderVisit } from '../visit.js';
import { CreatedPage } from './created-page.js';
import {
  type DraftedDestination,
  draftDestination,
  type TypedDestination,
  typedDestination,
} from './destination-draft.js';
import { doneFlash } from './destination-flash.js';
import {
  DESTINATIONS_PATH,
  type DestinationPageParts,
  type DestinationSending,
  destinationsOf,
  mayChangeDestination,
} from './destination-page.js';
import { DestinationsPage, type DestinationsPageProps, type ListedDestination } from './destinations-page.js';
import { sendConfirmation, waitForConfirmation } from './send-confirmation.js';

/** The list of the destinations of an account, and new ones (D67). */
export function destinationRoutes(parts: DestinationPageParts): readonly PageRoute[] {
  const { visits, sending } = parts;
  const show = showDestinations(parts);
  const create: FormPage<HolderVisit> = async (ctx, visit, form) => {
    const typed = typedDestination(form);
    const refused = (refusal: Refusal) => {
      const status = refusal.refused === 'invalid_body' ? 400 : 409;
      const text = accountRefusalText(refusal, visit.account);
      return show(ctx, visit, { kind: 'bad', text }, typed, status);
    };
    if (sending === null) return show(ctx, visit, null, typed, 409);
    const [newest] = (await destinationsOf(parts.destinations, visit.account.id)).toReversed();
    if ((form.get('seen') ?? '') !== (newest?.id ?? '')) return refused(refuse('changed_meanwhile'));
    const drafted = draftDestination(typed, visit.account.email, parts, sending);
    if (isRefusal(drafted)) return refused(drafted);
    return createDrafted(parts, sending, { ctx, visit, drafted, refused });
  };
  return [
    {
      path: DESTINATIONS_PATH,
      GET: visits.page((ctx, visit) =>
        show(ctx, visit, doneFlash(parameter(ctx, 'said')), {
          ...EMPTY_FORM,
          filter: parameter(ctx, 'filter') ?? '',
        }),
      ),
      POST: visits.form(create),
    },
  ];
}

/** A link to the page gives the filter, and nothing else: a link of somebody else must not name where the feed is sent to. */
const EMPTY_FORM: TypedDestination = { label: '', kind: 'webhook', address: '', filter: '' };

type Creation = {
  readonly ctx: Context;
  readonly visit: HolderVisit;
  readonly drafted: DraftedDestination;
  readonly refused: (refusal: Refusal) => Promise<void>;
};

async function createDrafted(
  parts: DestinationPageParts,
  sending: DestinationSending,
  { ctx, visit, drafted: { fresh, once }, refused }: Creation,
): Promise<void> {
  const { account, viewer } = visit;
  if (!(await mayChangeDestination(ctx, visit, parts))) return;
  const isForeign = fresh.target.kind === 'email' && fresh.target.address !== account.email;
  const wait = isForeign ? await waitForConfirmation(parts, account) : null;
  if (wait !== null) return answerTooMany(ctx, wait);
  const destination = await parts.createDestination(account.id, fresh, CUSTOMER);
  if (isRefusal(destination)) return refused(destination);
  const confirmation = needsConfirmation(destination)
    ? await sendConfirmation(parts, sending, destination, account)
    : null;
  const props = { viewer, destination, once, confirmation, publicUrl: parts.publicUrl() };
  answerPage(ctx, <CreatedPage {...props} demo={parts.demo(DESTINATIONS_PATH, visit)} />, 201);
}

const needsConfirmation = (destination: Destination): boolean =>
  whyNotDelivered(destination)?.refused === 'not_confirmed';

function showDestinations(parts: DestinationPageParts) {
  return async (
    ctx: Context,
    visit: HolderVisit,
    notice: DestinationsPageProps['notice'],
    typed: TypedDestination,
    status = 200,
  ): Promise<void> => {
    const { account, viewer, now } = visit;
    const props: DestinationsPageProps = {
      viewer,
      now,
      notice,
      typed,
      plan: knownPlan(parts.plans, account.subscription.plan),
      listed: await listedDestinations(parts, account.id),
      ownAddress: parts.sending === null ? null : account.email,
      demo: parts.demo(DESTINATIONS_PATH, visit),
    };
    answerPage(ctx, <DestinationsPage {...props} />, status);
  };
}

/** Reads the deliveries of one destination at a time, so that a page takes one connection of the database. */
async function listedDestinations(
  { destinations }: DestinationPageParts,
  account: Destination['account'],
): Promise<readonly ListedDestination[]> {
  const listed: ListedDestination[] = [];
  for (const destination of await destinationsOf(destinations, account)) {
    const [last = null] = await destinations.deliveries(destination.id);
    listed.push({ destination, last });
  }
  return listed;
}
