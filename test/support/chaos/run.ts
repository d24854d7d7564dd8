import { setTimeout } from 'node:timers/promises';
import { positionToken } from '../../../src/domain/feed/position.js';
import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import { administer } from '../servers/write-faults.js';
import { issueKey, openAccount, type Stage } from './calls.js';
import { runFaults } from './faults.js';
import { Followers } from './followers.js';
import { Installation, readinessOf } from './installation.js';
import { judgeLog, judgePoller, judgeWalks } from './judge-feed.js';
import { judgeKeys, judgeLogs, judgeResources, judgeStop } from './judge-processes.js';
import { KeyActor } from './key-actor.js';
import { KeyProbes } from './key-probes.js';
import { isRefused, readPages } from './pages.js';
import { Publisher } from './publisher.js';
import { QuotaRounds } from './quota-rounds.js';
import { Poller, type SeenPositions, Walker } from './readers.js';
import { RunRecord } from './record.js';
import { type PlannedFault, scheduleOf } from './schedule.js';
import { LATER_MS, Processor } from './webhooks.js';

/** After the last fault, every instance is ready within this time. */
const READY_MS = 10_000;
/** Followers have everything within this time at the end; far more than they need. */
const CAUGHT_UP_MS = 30_000;
const LOOK_AGAIN_MS = 20;
const PUBLISHERS = 3;
const ACTORS = 2;

export type ChaosResult = {
  readonly seed: number;
  readonly durationMs: number;
  readonly schedule: readonly PlannedFault[];
  readonly record: RunRecord;
};

/** Runs the service under the faults of a seed, with all kinds of clients, and judges what they got. */
export async function runChaos(seed: number, durationMs: number): Promise<ChaosResult> {
  const installation = await Installation.start();
  try {
    const chaos = await ChaosRun.prepare(installation, seed, durationMs);
    return await chaos.run();
  } finally {
    await installation.stop();
  }
}

class ChaosRun {
  readonly #installation: Installation;
  readonly #seed: number;
  readonly #durationMs: number;
  readonly #key: string;
  readonly #record = new RunRecord();
  readonly #positions: SeenPositions = new Set();
  #isOver = false;
  readonly #publishers: readonly Publisher[];
  readonly #poller: Poller;
  readonly #walker: Walker;
  readonly #followers: Followers;
  readonly #probes: KeyProbes;
  readonly #actors: readonly KeyActor[];
  readonly #quotas: QuotaRounds;
  readonly #processor: Processor;

  private constructor(installation: Installation, seed: number, durationMs: number, key: string) {
    this.#installation = installation;
    this.#seed = seed;
    this.#durationMs = durationMs;
    this.#key = key;
    const record = this.#record;
    const stage: Stage = { installation, isOver: () => this.#isOver, time: () => Date.now() + LATER_MS };
    /** Each client has numbers of its own: what it does does not depend on the others. */
    const randomOf = (name: string) => SeededRandom.of(`${seed} ${name}`);
    const positions = this.#positions;
    const parts = (name: string) => ({ stage, record, random: randomOf(name), key, positions });
    this.#publishers = Array.from({ length: PUBLISHERS }, (_, n) => {
      const name = `publisher-${n}`;
      return new Publisher(name, stage, record, randomOf(name));
    });
    this.#poller = new Poller(parts('poller'));
    this.#walker = new Walker(parts('walker'), () => this.#known());
    this.#followers = new Followers(stage, record, randomOf('followers'), key, positions);
    this.#probes = new KeyProbes(stage, record);
    this.#actors = Array.from({ length: ACTORS }, (_, n) => {
      const name = `holder-${n}`;
      return new KeyActor(name, stage, record, randomOf(name), this.#probes);
    });
    this.#quotas = new QuotaRounds(stage, record, randomOf('quotas'));
    this.#processor = new Processor(stage, record, randomOf('processor'), seed, durationMs);
  }

  static async prepare(installation: Installation, seed: number, durationMs: number): Promise<ChaosRun> {
    const account = await openAccount(installation, 0, 'reader@example.org', 'pro');
    const { key } = (await issueKey(installation, 0, account)) ?? { key: '' };
    const run = new ChaosRun(installation, seed, durationMs, key);
    await run.#processor.openAccounts();
    return run;
  }

  async run(): Promise<ChaosResult> {
    const [seed, durationMs, record] = [this.#seed, this.#durationMs, this.#record];
    const schedule = scheduleOf(seed, durationMs);
    // Whatever ends the run is reported together with its faults.
    await this.#run(schedule).catch((fault: Error) => {
      this.#isOver = true;
      record.violated('a run comes to its end', fault.stack ?? fault.message);
    });
    const keys = this.#actors.flatMap(({ values }) => values);
    judgeLogs(this.#installation, record, [this.#key, ...keys]);
    return { seed, durationMs, schedule, record };
  }

  async #run(schedule: readonly PlannedFault[]): Promise<void> {
    const record = this.#record;
    const clients = Promise.all([
      ...this.#publishers.map((publisher) => publisher.run()),
      ...this.#actors.map((actor) => actor.run()),
      ...[
        this.#poller.run(),
        this.#walker.run(),
        this.#quotas.run(),
        this.#processor.run(),
        this.#probes.run(),
      ],
    ]);
    clients.catch(() => {}); // It is thrown at the end of the run.
    this.#followers.start();
    const polledFrom = record.now();
    const victims = { installation: this.#installation, dropStreams: () => this.#followers.drop() };
    await runFaults(schedule, victims, record);
    await this.#untilReady();
    while (record.now() < this.#durationMs) {
      this.#followers.judgeSoFar();
      await setTimeout(LOOK_AGAIN_MS);
    }
    this.#isOver = true;
    await clients;
    await this.#judge(polledFrom);
  }

  #known() {
    return this.#publishers.flatMap(({ items }) => [...items.values()]);
  }

  async #untilReady(): Promise<void> {
    const from = this.#record.now();
    for (;;) {
      const states = await Promise.all(this.#installation.members.map(readinessOf));
      const ms = Math.round(this.#record.now() - from);
      if (states.every((state) => state === 'ready'))
        return this.#record.count('ms until all were ready', ms);
      if (ms > READY_MS) {
        this.#record.violated('after the last fault all are ready within 10 s', `after ${ms} ms: ${states}`);
        return;
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }

  async #judge(polledFrom: number): Promise<void> {
    const [installation, record, key] = [this.#installation, this.#record, this.#key];
    await this.#quotas.judgeExactly();
    await this.#processor.judge();
    const [publisher] = this.#publishers;
    await this.#untilFollowed((await publisher?.publishMeeting()) ?? '');
    this.#followers.judgeSoFar();
    await this.#followers.judgeItems();
    await this.#followers.stop();
    await judgeLog(installation, record, this.#publishers, this.#positions);
    const feed = await judgeWalks(installation, record, this.#known(), key);
    for (const n of installation.members.keys()) await this.#poller.poll(n);
    judgePoller(this.#poller, record, this.#known(), feed, polledFrom);
    await judgeKeys(
      installation,
      record,
      this.#actors.flatMap(({ known }) => known),
    );
    await judgeResources(installation, record);
    await judgeStop(installation, record);
  }

  /** Resolves when all followers have an item, and all instances have its change. */
  async #untilFollowed(id: string): Promise<void> {
    const until = this.#record.now() + CAUGHT_UP_MS;
    const [{ n, mark } = { n: '0', mark: '' }] = (await administer(this.#installation.postgres.url, [
      "select n, encode(mark, 'hex') as mark from feed_change order by n desc limit 1",
    ])) as readonly { readonly n: string; readonly mark: string }[];
    const newest = positionToken({ n: Number(n), mark });
    for (;;) {
      const positions = await Promise.all(
        this.#installation.members.map(async ({ instance }) => {
          const read = await readPages(() => instance.url, this.#key, 1, FAR);
          return isRefused(read) ? null : read.position;
        }),
      );
      const late = this.#followers.without(id);
      if (late.length === 0 && positions.every((position) => position === newest)) return;
      if (this.#record.now() > until) {
        this.#record.violated(
          'all followers and instances catch up',
          `${id}, ${newest}: instances at ${positions}; followers without it: ${late}`,
        );
        return;
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }
}

/** A `since` after all items. */
const FAR = '9999-01-01T00:00:00Z';
