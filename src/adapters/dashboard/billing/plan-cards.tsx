import { PLAN_NAMES, type Plan, type Plans } from '../../../domain/billing/plan.js';
import {
  comparePlans,
  nextPlan,
  PLAN_LIMITS,
  type PlanComparison,
  type PlanLimit,
} from '../../../domain/billing/plan-comparison.js';
import { Badge } from '../keys/key-state.js';
import { grouped } from '../page/number-text.js';
import { CHECKOUT_PATH } from './checkout-page.js';

const NAMES: Readonly<Record<PlanLimit, string>> = {
  requestsPerMinute: 'requests a minute',
  requestsPerDay: 'requests a day',
  streams: 'streams',
  keys: 'keys',
  destinations: 'destinations',
};

type PlanCardsProps = {
  readonly plans: Plans;
  readonly current: Plan;
  readonly keysInUse: number;
  /** Whether upgrades lead to a checkout. */
  readonly hasCheckout: boolean;
  /** Whether the page has a more urgent action than an upgrade. */
  readonly isQuiet: boolean;
};

/** The plans, lowest first, each with its limits, its price if a setting names it, and what a change to it means. */
export const PlanCards = ({ plans, current, keysInUse, hasCheckout, isQuiet }: PlanCardsProps) => {
  const next = nextPlan(plans, current);
  return (
    <div class="plan-cards">
      {PLAN_NAMES.map((name) => {
        const plan = plans[name];
        const comparison = comparePlans(current, plan, keysInUse);
        const isMain = plan === next && !isQuiet;
        return (
          <section
            key={name}
            class={comparison.direction === 'none' ? 'current' : undefined}
            aria-labelledby={`plan-${name}`}
          >
            <div class="heading">
              <h3 id={`plan-${name}`}>{plan.title}</h3>
              {comparison.direction === 'none' && <Badge kind="good">Current</Badge>}
            </div>
            {plan.price !== null && <p class="price">{plan.price}</p>}
            <Limits plan={plan} />
            <Change plan={plan} comparison={comparison} />
            {hasCheckout && comparison.direction === 'upgrade' && (
              <a class={isMain ? 'button' : 'button plain'} href={CHECKOUT_PATH}>
                Upgrade to {plan.title}
              </a>
            )}
          </section>
        );
      })}
    </div>
  );
};

const Limits = ({ plan }: { readonly plan: Plan }) => (
  <ul class="plan-limits">
    {PLAN_LIMITS.map((limit) => (
      <li key={limit}>
        <strong>{grouped(plan[limit])}</strong>{' '}
        {plan[limit] === 1 ? NAMES[limit].replace(/s$/, '') : NAMES[limit]}
      </li>
    ))}
  </ul>
);

/** What changes, in words. */
const Change = ({ plan, comparison }: { readonly plan: Plan; readonly comparison: PlanComparison }) => {
  const { direction, more, fewer, keysAbove } = comparison;
  if (direction === 'none') return null;
  return (
    <p class="quiet">
      {direction === 'upgrade' ? 'Upgrade' : 'Downgrade'}: {changeText(more, fewer)} Your keys stay the same.
      {keysAbove > 0 && ` ${keysAboveText(keysAbove, plan)}`}
    </p>
  );
};

function changeText(more: readonly PlanLimit[], fewer: readonly PlanLimit[]): string {
  const sentences = [
    ...(more.length > 0 ? [`more ${listed(more)}`] : []),
    ...(fewer.length > 0 ? [`fewer ${listed(fewer)}`] : []),
  ];
  return sentences.length === 0 ? 'the same limits.' : `${sentences.join('; ')}.`;
}

function listed(limits: readonly PlanLimit[]): string {
  const names = limits.map((limit) => NAMES[limit]);
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const keysAboveText = (count: number, { keys }: Plan): string =>
  `${count} of them ${count === 1 ? 'is' : 'are'} above its limit: ${count === 1 ? 'it keeps' : 'they keep'} working, but no key can be created until ${keys === 1 ? 'none is' : `fewer than ${keys} are`} in use.`;
