import type { AccountId } from '../../domain/accounts/account.js';
import type { Plans } from '../../domain/billing/plan.js';
import {
  changeDestination as changing,
  createDestination as creating,
  type DestinationAction,
  type NewDestination,
} from '../../domain/destinations/account-destinations.js';
import type { Destination, DestinationId } from '../../domain/destinations/destination.js';
import type { Refusal } from '../../domain/refusal.js';
import { knownPlan } from '../billing/known-plan.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Destinations } from '../ports/destinations/destinations.js';

/** Adds a destination to an account, within the allowance of its plan (D67). */
export const createDestination = ({
  destinations,
  accounts,
  plans,
  clock,
}: {
  readonly destinations: Destinations;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly plans: Plans;
  readonly clock: Clock;
}) =>
  async function createDestination(
    account: AccountId,
    fresh: NewDestination,
    actor: string,
  ): Promise<Destination | Refusal> {
    const owner = await accounts.find(account);
    if (owner === null) return { refused: 'not_found', what: 'account' };
    const plan = knownPlan(plans, owner.subscription.plan);
    const context = { actor, reason: null, at: clock() };
    const created = await destinations.change(account, (all) => creating(all, owner, fresh, plan, context));
    return created ?? { refused: 'not_found', what: 'destination' };
  };

export type CreateDestination = ReturnType<typeof createDestination>;

/** What an owner or an operator does with a destination. Returns it after the change; null if it was removed. */
export const changeDestination = ({
  destinations,
  clock,
}: {
  readonly destinations: Destinations;
  readonly clock: Clock;
}) =>
  async function changeDestination(
    account: AccountId,
    id: DestinationId,
    action: DestinationAction,
    { actor, reason = null }: { readonly actor: string; readonly reason?: string | null },
  ): Promise<Destination | null | Refusal> {
    const context = { actor, reason, at: clock() };
    return destinations.change(account, (all) => changing(all, id, action, context));
  };

export type ChangeDestination = ReturnType<typeof changeDestination>;

/** The destination of this account, with what it was found by; a refusal if it has no such one. */
export async function destinationOf(
  destinations: Pick<Destinations, 'find'>,
  account: AccountId,
  id: DestinationId,
) {
  const stored = await destinations.find(id);
  const isOwn = stored !== null && stored.destination.account === account;
  return isOwn ? stored : ({ refused: 'not_found', what: 'destination' } as const);
}
