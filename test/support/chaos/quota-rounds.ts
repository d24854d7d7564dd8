import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { anInstance, ask, issueKey, openAccount, pause, type Stage } from './calls.js';
import { QUOTAS } from './installation.js';
import { type RunRecord, touchesRedis } from './record.js';
import { INSTANCES } from './schedule.js';

type Plan = keyof typeof QUOTAS;

const CALLERS: Readonly<Record<Plan, number>> = { free: 6, builder: 24 };
/** Every so many rounds the quota is one that instances lease (D35). */
const ROUNDS_PER_LEASED = 12;
/** After an outage of Redis, the next probe ends the use of the local counters. */
const REDIS_BACK_MS = 3_000;
/** A call to Redis has 250 ms (D35). A Redis that a busy machine makes slower is an outage too. */
const ANSWERS_WITHIN_MS = 150;
/** A busy machine can also make an instance itself so late that it counts alone. The request then took all of this time. */
const DEADLINE_MS = 250;
const LEASE_MS = 600;
/** A round ends after so many refusals in a row. */
const REFUSALS_MAX = 12;

/** Uses up the quotas of new accounts over all instances, and counts what was admitted (D34, D35). */
export class QuotaRounds {
  readonly #stage: Stage;
  readonly #record: RunRecord;
  readonly #random: SeededRandom;

  constructor(stage: Stage, record: RunRecord, random: SeededRandom) {
    this.#stage = stage;
    this.#record = record;
    this.#random = random;
  }

  async run(): Promise<void> {
    for (let round = 1; !this.#stage.isOver(); round += 1) {
      await this.#round(round, round % ROUNDS_PER_LEASED === 0 ? 'builder' : 'free');
      await pause(this.#random, 200, 1_500);
    }
  }

  /** Without faults, exactly the quota is admitted. */
  async judgeExactly(): Promise<void> {
    const admitted = await this.#round(0, 'free');
    if (admitted !== QUOTAS.free)
      this.#record.violated('without faults the whole quota is admitted', `${admitted} of ${QUOTAS.free}`);
  }

  async #round(round: number, plan: Plan): Promise<number> {
    const { installation } = this.#stage;
    const first = anInstance(this.#random);
    const account = await openAccount(installation, first, `quota-${round}@example.org`, plan);
    const issued = await issueKey(installation, first, account);
    if (issued === null) return 0;
    const { key } = issued;
    const from = this.#record.now();
    let admitted = 0;
    let refused = 0;
    let sent = 0;
    let longestMs = 0;
    const caller = async (nth: number) => {
      while (refused < REFUSALS_MAX && sent < 3 * QUOTAS[plan]) {
        sent += 1;
        const url = `${installation.url((nth + sent) % INSTANCES)}/pm/v2/news?limit=1`;
        const sentAt = performance.now();
        const reply = await ask(url, { headers: { 'X-API-Key': key } });
        longestMs = Math.max(longestMs, performance.now() - sentAt);
        if (reply?.status === 200) admitted += 1;
        if (reply?.status === 429) refused += 1;
        // Permits in the lease of another instance are given back after half a second.
        if (reply?.status === 429 && plan === 'builder' && refused < REFUSALS_MAX) await setTimeout(LEASE_MS);
      }
    };
    await Promise.all(Array.from({ length: CALLERS[plan] }, (_, nth) => caller(nth)));
    this.#record.count('quota rounds');
    if (longestMs < DEADLINE_MS) this.#judge(plan, account, admitted, from);
    return admitted;
  }

  #judge(plan: Plan, account: string, admitted: number, from: number): void {
    const record = this.#record;
    const to = record.now();
    const waits = this.#stage.installation.members.map(({ redis }) =>
      redis.longestWaitMs(record.asClockTime(from)),
    );
    if (record.wasFaulty(from, to, REDIS_BACK_MS, touchesRedis) || Math.max(...waits) > ANSWERS_WITHIN_MS)
      return;
    record.count(`quota rounds judged, ${plan}`);
    if (admitted > QUOTAS[plan])
      record.violated(
        'no more than the quota is admitted (D35)',
        `account ${account} on ${plan}: ${admitted} of ${QUOTAS[plan]} from ${Math.round(from)} to ${Math.round(to)} ms; ` +
          `longest waits for Redis ${waits.map(Math.round)} ms`,
      );
  }
}
