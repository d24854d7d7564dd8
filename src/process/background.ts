import { Unavailable } from '../application/unavailable.js';
import type { Parts } from '../composition/compose.js';

/** How often each job runs. A claim lasts 15 s, so due work starts at most 30 s after its time. */
const DUE_WORK_EVERY_MS = 5_000;
const NOTICES_EVERY_MS = 1_000;
const ABUSE_EVERY_MS = 1_000;
/** How often the job checks whether a reconciliation is due; `reconcile-payments.ts` has the rule. */
const RECONCILE_EVERY_MS = 30_000;
/** How often the job checks whether expired rows are to be deleted; `delete-expired-rows.ts` has the rule. */
const DELETE_EVERY_MS = 60_000;
/** How often the job checks whether items are to be indexed; `index-items.ts` has the rule. */
const INDEX_EVERY_MS = 5_000;

/** How often the leases of jobs are renewed that run all the time; `held-jobs.ts` has the rule. */
const RENEW_EVERY_MS = 1_000;
/** How often deliveries begin. A delivery waits so long at most, and as long again until its bounds are stored. */
const DELIVER_EVERY_MS = 50;
/** How long a change of the feed waits at most before the directory of markets follows it. */
const PROJECT_EVERY_MS = 500;

/** How often it is tried to store that destinations must be told of a return to an older state. */
const RESET_EVERY_MS = 1_000;

/** How often the request log is written. A process that dies loses the requests of this time. */
const LOG_REQUESTS_EVERY_MS = 2_000;

/** How often mails about quotas are queued. */
const QUOTA_MAILS_EVERY_MS = 2_000;

/** Shutdown waits this long for running jobs. Another instance does the remaining work later. */
const STOP_TIMEOUT_MS = 12_000;

/**
 * Starts the background jobs. Returns a function that stops them and waits until running jobs end. While the clock of this
 * instance is wrong, no job begins: the instances whose clock is right do the work (D5).
 */
export function startBackground(parts: Parts): () => Promise<void> {
  const { log, clockCheck, runDueWork, sendNotices, detectAbuse, deleteExpiredRows, indexItems } = parts;
  const { heldJobs, projectMarkets, deliverToDestinations, recentRequests, quotaMails, pause } = parts;
  const stopping = new AbortController();
  const report = (job: string) => (fault: unknown) => {
    // The outage of a dependency was logged when it began.
    if (fault instanceof Unavailable) log.debug({ err: fault }, `${job} waits for a dependency`);
    else log.error({ err: fault }, `${job} failed`);
  };
  const mayWork = () => clockCheck.allowance().hasBackgroundWork;
  const mayProject = () => heldJobs.holds('project markets') && !stopping.signal.aborted && mayWork();
  const repeated = (ms: number, work: () => Promise<unknown>, job: string) =>
    repeat(ms, unlessWrong(mayWork, work), report(job));
  const every = (...job: Parameters<typeof repeated>) => repeated(...job).stop;
  const stops = [
    every(DUE_WORK_EVERY_MS, () => runDueWork.once(), 'due work'),
    every(NOTICES_EVERY_MS, sendAll, 'sending notices'),
    every(ABUSE_EVERY_MS, () => detectAbuse.scan(), 'abuse detection'),
    startReconciling(parts),
    startResets(parts, report('telling destinations of a return to an older state')),
    every(DELETE_EVERY_MS, () => deleteExpiredRows.whenDue(stopping.signal), 'deleting expired rows'),
    every(INDEX_EVERY_MS, () => indexItems(stopping.signal), 'indexing items'),
    every(LOG_REQUESTS_EVERY_MS, () => recentRequests.write(), 'the request log'),
    every(QUOTA_MAILS_EVERY_MS, () => quotaMails.queue(), 'mails about quotas'),
    every(DELIVER_EVERY_MS, async () => deliverToDestinations?.deliver(), 'deliveries'),
    every(PROJECT_EVERY_MS, () => projectMarkets.run(mayProject, pause), 'the directory of markets'),
  ];
  const renewing = repeated(RENEW_EVERY_MS, () => heldJobs.renew(), 'renewing leases');
  renewing.runNow();
  return async () => {
    stopping.abort();
    const timeout = new Promise((done) => setTimeout(done, STOP_TIMEOUT_MS).unref());
    const jobs = stops.map((stop) => stop());
    // No further delivery begins. Those under way are recorded, so that they are not repeated.
    await Promise.race([Promise.all([...jobs, deliverToDestinations?.settled()]), timeout]);
    await renewing.stop();
    await heldJobs.release().catch(report('releasing leases'));
  };

  async function sendAll(): Promise<void> {
    while ((await sendNotices()) && !stopping.signal.aborted && mayWork());
  }
}

/**
 * Reconciles payments at the start, when Postgres has returned to an older state, and then whenever it is due: events may have
 * been missed or lost (D45). Until the clock is right, and the run has succeeded, it stays wanted. Logs the begin of an
 * outage of the processor once, and its end once.
 */
function startReconciling(parts: Parts): () => Promise<void> {
  const { log, clockCheck, reconcilePayments, processor, followed } = parts;
  const mayWork = () => clockCheck.allowance().hasBackgroundWork;
  let isFailing = false;
  let isWanted = true;
  const attempt = async () => {
    const wasWanted = isWanted;
    isWanted = false;
    let found: number | null = null;
    try {
      found = await reconcilePayments(wasWanted);
    } finally {
      // Null: another instance has the lease, perhaps since before the loss.
      if (found === null && wasWanted) isWanted = true;
    }
    return found;
  };
  const reconcile = async () => {
    const found = await attempt();
    if (found === null || processor === null) return;
    if (isFailing) log.info('the payment processor answers again; payments are reconciled');
    isFailing = false;
    if (found > 0) log.info({ events: found }, 'recovered missed payment events');
  };
  const report = (fault: unknown) => {
    // The outage of the store was logged when it began.
    if (fault instanceof Unavailable && fault.cause === undefined)
      return log.debug({ err: fault }, 'reconciling payments waits for a dependency');
    if (!isFailing)
      log.warn({ err: fault }, 'payments could not be reconciled; the service retries until they are');
    isFailing = true;
  };
  const job = repeat(RECONCILE_EVERY_MS, unlessWrong(mayWork, reconcile), report);
  job.runNow();
  const stopListening = followed.follower.whenOlderState(() => {
    isWanted = true;
    job.runNow();
  });
  return () => {
    stopListening();
    return job.stop();
  };
}

/**
 * Tells every destination when Postgres has returned to an older state (D69): the changes that were sent may be lost. Tries until
 * it is stored.
 */
function startResets(
  { destinations, followed }: Parts,
  report: (fault: unknown) => void,
): () => Promise<void> {
  let isWanted = false;
  const reset = async () => {
    if (!isWanted) return;
    await destinations.reset();
    isWanted = false;
  };
  const job = repeat(RESET_EVERY_MS, reset, report);
  const stopListening = followed.follower.whenOlderState(() => {
    isWanted = true;
    job.runNow();
  });
  return () => {
    stopListening();
    return job.stop();
  };
}

const unlessWrong = (mayWork: () => boolean, work: () => Promise<unknown>) => async () => {
  if (mayWork()) await work();
};

/** Runs `work` at this interval, but never two at the same time. Reports a failure; the next run retries. */
function repeat(everyMs: number, work: () => Promise<unknown>, report: (fault: unknown) => void) {
  let running: Promise<unknown> | null = null;
  const runNow = () => {
    running ??= work()
      .catch(report)
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(runNow, everyMs);
  const stop = async () => {
    clearInterval(timer);
    await running;
  };
  return { runNow, stop };
}
