import { PLAN_NAMES, type Plan, type PlanName, type Plans } from '../../../domain/billing/plan.js';

type Terms = {
  /** Whether account holders can pay for a plan in the dashboard. */
  readonly hasCheckout: boolean;
  readonly support: string | undefined;
};

const [FREE] = PLAN_NAMES;

const counted = (count: number, one: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : `${one}s`}`;

function priceText(name: PlanName, { price }: Plan, { hasCheckout, support }: Terms): string {
  if (price !== null) return price;
  if (name === FREE) return 'Free';
  if (hasCheckout) return 'Price at the checkout';
  return support === undefined ? 'On request' : 'Ask us';
}

/** Where a visitor gets the plan: in the dashboard, or from a person. Null if neither is known (`SUPPORT_CONTACT`). */
function doorTo(
  name: PlanName,
  { hasCheckout, support }: Terms,
): { readonly to: string; readonly label: string } | null {
  if (name === FREE) return { to: '/dashboard', label: 'Get a free key' };
  if (hasCheckout) return { to: '/dashboard/subscription', label: 'Subscribe' };
  return support === undefined ? null : { to: support, label: 'Ask us' };
}

type CardProps = { readonly name: PlanName; readonly plan: Plan; readonly terms: Terms };

const PlanCard = ({ name, plan, terms }: CardProps) => {
  const door = doorTo(name, terms);
  return (
    <li>
      <h3>{plan.title}</h3>
      <p class="price">{priceText(name, plan, terms)}</p>
      <ul>
        <li>{counted(plan.requestsPerMinute, 'request')} a minute</li>
        <li>{counted(plan.requestsPerDay, 'request')} a day</li>
        <li>{counted(plan.streams, 'stream')} at once</li>
        <li>{counted(plan.keys, 'key')}</li>
        <li>{counted(plan.destinations, 'destination')}</li>
      </ul>
      {door !== null && (
        <p>
          <a class="quiet-button" href={door.to}>
            {door.label}
            <span class="hidden">: {plan.title}</span>
          </a>
        </p>
      )}
    </li>
  );
};

/** The plans of this installation with their limits, prices, and the way to each. */
export const PlanCards = ({ plans, terms }: { readonly plans: Plans; readonly terms: Terms }) => (
  <ul class="plan-cards">
    {PLAN_NAMES.map((name) => (
      <PlanCard key={name} name={name} plan={plans[name]} terms={terms} />
    ))}
  </ul>
);
