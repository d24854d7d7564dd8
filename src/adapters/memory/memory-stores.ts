import type { Stores } from '../../application/ports/stores.js';
import { MemoryAccounts } from './memory-accounts.js';
import { MemoryFeedStore } from './memory-feed-store.js';
import { MemoryGate } from './memory-gate.js';
import { MemoryIdentities } from './memory-identities.js';
import { MemoryLastUsed } from './memory-last-used.js';
import { MemoryOutbox } from './memory-outbox.js';
import { MemoryPaymentInbox } from './memory-payment-inbox.js';
import { MemorySessions } from './memory-sessions.js';
import { MemoryTickets } from './memory-tickets.js';
import { MemoryTurns } from './memory-turns.js';
import { MemoryUsageHistory } from './memory-usage-history.js';

/** Stores of one process, for demos and tests: nothing outlives it. */
export function memoryStores() {
  const outbox = new MemoryOutbox();
  const accounts = new MemoryAccounts(outbox);
  return {
    accounts,
    feed: new MemoryFeedStore(),
    gate: new MemoryGate(accounts),
    identities: new MemoryIdentities(accounts),
    inbox: new MemoryPaymentInbox(accounts),
    lastUsed: new MemoryLastUsed(),
    outbox,
    sessions: new MemorySessions(),
    tickets: new MemoryTickets(),
    turns: new MemoryTurns(),
    usage: new MemoryUsageHistory(),
  } satisfies Stores;
}
