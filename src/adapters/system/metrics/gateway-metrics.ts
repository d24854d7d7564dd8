import { Counter, Histogram, type Registry } from 'prom-client';
import type { Admission } from '../../../application/limits/admit-request.js';
import { PLAN_NAMES, type PlanName } from '../../../domain/billing/plan.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';

/** The used quota of one of this number of requests is measured, because a histogram costs more than the admission. */
const MEASURED_EVERY = 64;

/** For refusals of requests without a known key. */
const NO_PLAN = 'none';

/**
 * Metrics of the gateway. Each request only adds to a number in memory; the counters get these numbers when the metrics are
 * collected.
 */
export class GatewayMetrics {
  readonly #admitted = new Map<PlanName, number>();
  /** New refusals by code, then by plan. Codes are members of a union, so their number is bounded. */
  readonly #refused = new Map<string, Map<string, number>>();
  readonly #dayQuota: Histogram<'plan'>;
  #requests = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const [admitted, refused] = [this.#admitted, this.#refused];
    new Counter({
      name: 'oddswire_admitted_requests_total',
      help: 'Requests that the gateway admitted, by plan.',
      labelNames: ['plan'],
      registers,
      collect() {
        for (const plan of PLAN_NAMES) this.inc({ plan }, admitted.get(plan) ?? 0);
        admitted.clear();
      },
    });
    new Counter({
      name: 'oddswire_refusals_total',
      help: 'Requests and streams that were refused, by problem code and plan; none: no known key.',
      labelNames: ['code', 'plan'],
      registers,
      collect() {
        for (const [code, plans] of refused) {
          for (const [plan, count] of plans) this.inc({ code, plan }, count);
        }
        refused.clear();
      },
    });
    this.#dayQuota = new Histogram({
      name: 'oddswire_day_quota_used_ratio',
      help: `Used share of the day quota of the subscription of a request; one of ${MEASURED_EVERY} requests.`,
      labelNames: ['plan'],
      buckets: [0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1],
      registers,
    });
  }

  readonly note = (admission: Admission | 'overloaded'): void => {
    if (admission === 'overloaded') this.refused('overloaded', null);
    else this.#noteDecision(admission);
  };

  refused(code: string, plan: PlanName | null): void {
    const plans = this.#refused.get(code) ?? new Map<string, number>();
    this.#refused.set(code, plans);
    add(plans, plan ?? NO_PLAN);
  }

  #noteDecision(admission: Admission): void {
    const { plan, limits } = admission;
    if (admission.admitted) add(this.#admitted, admission.plan);
    else this.refused(admission.refusal.refused, plan);
    this.#requests += 1;
    if (plan !== null && this.#requests % MEASURED_EVERY === 0) this.#measureQuota(plan, limits);
  }

  #measureQuota(plan: PlanName, limits: readonly Limit[]): void {
    // Not that of the key, which its owner has set (D72).
    const day = limits.find(({ policy }) => policy.name === 'day');
    if (day !== undefined) this.#dayQuota.observe({ plan }, 1 - day.remaining / day.policy.quota);
  }
}

const add = <Name>(counts: Map<Name, number>, name: Name): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);
