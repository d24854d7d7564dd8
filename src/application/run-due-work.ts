import { settled } from '../domain/account.js';
import type { Accounts } from './ports/accounts.js';
import type { Clock } from './ports/clock.js';

/** Accounts looked up at a time. */
const BATCH = 100;

/**
 * Does everything that has fallen due, each thing as of the moment it fell due (D23). A timer calls
 * it, and so does the test clock before it answers (D30).
 */
export const runDueWork =
  ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) =>
  async (): Promise<void> => {
    const now = clock();
    for (;;) {
      const due = await accounts.due(now, BATCH);
      if (due.length === 0) return;
      for (const id of due) await accounts.change(id, (account) => settled(account, now));
    }
  };

export type RunDueWork = ReturnType<typeof runDueWork>;
