import type { Logger } from 'pino';
import type { NoteReceipt } from '../../application/billing/payment-events.js';
import type { DeleteExpiredRowsParts } from '../../application/delete-expired-rows.js';
import type { ReportFailure } from '../../application/report-failure.js';
import type { Metrics, SignInResult } from './metrics/metrics.js';

type Reporters = { readonly metrics: Metrics; readonly log: Logger };

/**
 * Reports the outcome of each payment event. An event with a fact, or a checkout, is ignored only for a deleted account (D42):
 * then the processor may still collect money, and nobody would notice. Warnings are an event that changes nothing although an
 * operator should know of it, and a price that names no plan (D27).
 */
export const noteReceipt =
  ({ metrics, log }: Reporters): NoteReceipt =>
  ({ state }, { id, type, fact, link, notUsed }) => {
    metrics.paymentEvent(state);
    const fields = { event: id, type };
    if (state === 'failed')
      log.error(fields, 'a payment event could not be applied; it is stored and can be replayed');
    else if (notUsed !== undefined) log.warn(fields, notUsed);
    else if (state === 'ignored' && (fact !== null || link !== null))
      log.error(
        fields,
        'a payment event of a deleted account was ignored: check its subscription at the processor',
      );
    else if (state === 'applied' && fact?.kind === 'subscription' && fact.plan === null)
      log.warn(
        { ...fields, subscription: fact.subscription },
        'the price of a subscription names no plan, so its last known plan stays: map the price in STRIPE_PRICES',
      );
  };

/** Logs the failed background work on one account, notice or event. */
export const reportFailure =
  ({ log }: Pick<Reporters, 'log'>): ReportFailure =>
  (err, of) =>
    log.error({ err, ...of }, 'background work failed; it is tried again, and the work on others goes on');

/** Counts and logs each purge. */
export const notePurge =
  ({ metrics, log }: Reporters) =>
  (id: string, actor: string): void => {
    metrics.publications('purged', 1);
    log.info({ item: id, actor }, 'an item was purged');
  };

/** Reports the rows that one run deleted from a table. */
export const noteDeletedRows =
  ({ metrics, log }: Reporters): DeleteExpiredRowsParts['note'] =>
  (table, rows) => {
    metrics.deletedRows(table, rows);
    log.info({ table, rows }, 'deleted rows whose retention time has ended');
  };

/** Logs each attempt to sign in to the console with the operator token. */
export const noteOperatorSignIn =
  ({ metrics, log }: Reporters) =>
  (isCorrect: boolean, address: string): void => {
    metrics.signIn('operator_token', isCorrect ? 'signed_in' : 'refused');
    if (isCorrect) log.info({ address }, 'an operator signed in');
    else log.warn({ address }, 'a wrong operator token was entered in the console');
  };

/** Counts the results of a method to sign in. */
export const noteSignIn =
  ({ metrics }: Pick<Reporters, 'metrics'>, method: 'link' | 'provider') =>
  (result: SignInResult): void =>
    metrics.signIn(method, result);

type Reconcile = (isForced: boolean) => Promise<number | null>;

/** Notes when payments were reconciled, and each failure. Without a processor there is nothing to note. */
export const notedReconciliation =
  (
    reconcile: Reconcile,
    parts: Pick<Reporters, 'metrics'> & { readonly processor: object | null },
  ): Reconcile =>
  async (isForced) => {
    const { metrics, processor } = parts;
    try {
      const found = await reconcile(isForced);
      if (found !== null && processor !== null) metrics.reconciled(Date.now() / 1_000);
      return found;
    } catch (fault) {
      if (processor !== null) metrics.reconciliationFailed();
      throw fault;
    }
  };
