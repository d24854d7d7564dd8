import type { ChangeDestination } from '../../../../application/destinations/change-destination.js';
import type { Destinations } from '../../../../application/ports/destinations/destinations.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { Destination, DestinationId } from '../../../../domain/destinations/destination.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal, refuse } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import type { DoneNotice } from '../accounts/action-text.js';
import { DESTINATIONS_PATH } from '../addresses.js';
import type { ReasonFault } from '../reason-form.js';
import {
  DESTINATION_ACTION_TEXT,
  destinationActionOf,
  destinationActions,
  OPERATOR_DESTINATION_ACTIONS,
  type OperatorDestinationAction,
} from './destination-actions.js';
import { DestinationActionPage, DestinationsPage } from './destinations-page.js';

const LISTED_MAX = 100;

export type ConsoleDestinationParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly destinations: Pick<Destinations, 'list' | 'find'>;
  readonly changeDestination: ChangeDestination;
  readonly keyFormat: KeyFormat;
};

/** The destinations of all accounts, and the actions on them, each with a reason (D25). */
export function consoleDestinationRoutes(parts: ConsoleDestinationParts): readonly PageRoute[] {
  const { visits, destinations } = parts;

  const show = async (ctx: Context, { viewer }: OperatorVisit, notice: DoneNotice | null, status = 200) => {
    const listed = (await destinations.list(LISTED_MAX)).map(({ destination }) => destination);
    const page = { viewer, notice, destinations: listed, listedMax: LISTED_MAX };
    answerPage(ctx, <DestinationsPage {...page} />, status);
  };

  const ask = (ctx: Context, { viewer }: OperatorVisit, { destination, action }: Planned) =>
    destinationActions(destination).includes(action)
      ? answerPage(ctx, <DestinationActionPage {...{ viewer, destination, action }} fault={null} />)
      : goTo(ctx, DESTINATIONS_PATH);

  const take = async (ctx: Context, visit: OperatorVisit, planned: Planned, form: URLSearchParams) => {
    const { destination, action } = planned;
    const typed = form.get('reason') ?? '';
    const reason = readReason(typed, parts.keyFormat);
    if (typeof reason === 'object') {
      const fault: ReasonFault = { typed: parts.keyFormat.redact(typed), text: refusalText(reason) };
      const page = <DestinationActionPage viewer={visit.viewer} {...{ destination, action, fault }} />;
      return answerPage(ctx, page, 400);
    }
    if (await change(parts, planned, reason, visit.name))
      return goTo(ctx, `${DESTINATIONS_PATH}?done=${action}`);
    return show(ctx, visit, { kind: 'bad', text: refusalText(refuse('changed_meanwhile')) }, 409);
  };

  return [
    {
      path: DESTINATIONS_PATH,
      GET: visits.page((ctx, visit) => show(ctx, visit, doneNotice(parameter(ctx, 'done')))),
    },
    {
      path: `${DESTINATIONS_PATH}/:id/acts/:act`,
      GET: visits.page(withPlanned(destinations, ask)),
      POST: visits.form(withPlanned(destinations, take)),
    },
  ];
}

type Planned = { readonly destination: Destination; readonly action: OperatorDestinationAction };
type PlannedHandler<More extends readonly unknown[]> = (
  ctx: Context,
  visit: OperatorVisit,
  planned: Planned,
  ...more: More
) => Promise<void> | void;

/** Handles a request about one action on one destination. */
const withPlanned =
  <More extends readonly unknown[]>(
    destinations: ConsoleDestinationParts['destinations'],
    handle: PlannedHandler<More>,
  ) =>
  async (ctx: Context, visit: OperatorVisit, ...more: More): Promise<void> => {
    const action = OPERATOR_DESTINATION_ACTIONS.find((one) => one === ctx.params['act']);
    const stored = await destinations.find((ctx.params['id'] ?? '') as DestinationId);
    if (action === undefined || stored === null) return answerError(ctx, 'not found');
    return handle(ctx, visit, { destination: stored.destination, action }, ...more);
  };

/** Whether it was changed. If not, somebody else has changed it since the page was rendered. */
async function change(
  { changeDestination }: ConsoleDestinationParts,
  { destination, action }: Planned,
  reason: string,
  actor: string,
): Promise<boolean> {
  if (!destinationActions(destination).includes(action)) return false;
  const { account, id } = destination;
  const answer = await changeDestination(account, id, destinationActionOf(action, reason), { actor, reason });
  return answer === null || !isRefusal(answer);
}

function doneNotice(code: string | null): DoneNotice | null {
  const action = OPERATOR_DESTINATION_ACTIONS.find((one) => one === code);
  return action === undefined ? null : { kind: 'good', text: DESTINATION_ACTION_TEXT[action].done };
}
