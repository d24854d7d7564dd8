import { Unavailable } from '../application/unavailable.js';
import type { Parts } from '../composition/compose.js';

/** How often each work is looked for. With a claim of 15 s nothing is done later than 30 s after its time. */
const DUE_WORK_EVERY_MS = 5_000;
const NOTICES_EVERY_MS = 1_000;
const ABUSE_EVERY_MS = 1_000;
/** Whether it is time to ask the processor; `reconcile-payments.ts` says when that is. */
const RECONCILE_EVERY_MS = 30_000;

/** How long the end waits for what is in hand; what is not done by then others do later. */
const ENDING_MS = 12_000;

/** Starts what runs beside the listeners; answers the way to stop it, which waits for what is in hand. */
export function startBackground(parts: Parts): () => Promise<void> {
  const { log, runDueWork, sendNotices, detectAbuse } = parts;
  let isStopping = false;
  const report = (what: string) => (fault: unknown) => {
    // A part that is away has a line of its own; the work waits for it.
    if (fault instanceof Unavailable) log.debug({ err: fault }, `${what} waits`);
    else log.error({ err: fault }, `${what} failed`);
  };
  const stops = [
    repeat(DUE_WORK_EVERY_MS, () => runDueWork.once(), report('due work')),
    repeat(NOTICES_EVERY_MS, sendAll, report('sending of notices')),
    repeat(ABUSE_EVERY_MS, () => detectAbuse.scan(), report('detection of abuse')),
    startReconciling(parts),
  ];
  return async () => {
    isStopping = true;
    const patience = new Promise((done) => setTimeout(done, ENDING_MS).unref());
    await Promise.race([Promise.all(stops.map((stop) => stop())), patience]);
  };

  async function sendAll(): Promise<void> {
    while ((await sendNotices()) && !isStopping);
  }
}

/** Asks the processor at the start and then whenever it is time; tells once that it is away, and once that it is back. */
function startReconciling(parts: Parts): () => Promise<void> {
  const { log, metrics, reconcilePayments, processor } = parts;
  let isAway = false;
  const reconcile = async (insists: boolean) => {
    const found = await reconcilePayments(insists);
    if (found === null || processor === null) return;
    metrics.reconciled(Date.now() / 1_000);
    if (isAway) log.info('the payment processor answers again: payments are reconciled');
    isAway = false;
    if (found > 0) log.info({ events: found }, 'took in payment events that had not come');
  };
  const report = (fault: unknown) => {
    // Told with the change of state of the store.
    if (fault instanceof Unavailable && fault.cause === undefined)
      return log.debug({ err: fault }, 'the reconciliation of payments waits');
    if (!isAway)
      log.warn({ err: fault }, 'payments could not be reconciled; it is tried again until they are');
    isAway = true;
  };
  return repeat(
    RECONCILE_EVERY_MS,
    () => reconcile(false),
    report,
    () => reconcile(true),
  );
}

/** One round at a time; a round that fails is reported, and the next one tries again. */
function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  report: (fault: unknown) => void,
  first: () => Promise<unknown> = async () => {},
): () => Promise<void> {
  const round = (one: () => Promise<unknown>) => one().catch(report);
  let running: Promise<unknown> | null = null;
  const run = (one: () => Promise<unknown>) => {
    running ??= round(one).finally(() => {
      running = null;
    });
  };
  run(first);
  const timer = setInterval(() => run(work), everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
