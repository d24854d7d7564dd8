import type { PaymentInbox, Receipt } from '../../application/ports/billing/payment-inbox.js';
import type { Invalidations } from '../../application/ports/invalidations.js';

/** Sends an invalidation for the keys of an account after each stored payment event that changed it (D39). */
export function invalidatingInbox(inbox: PaymentInbox, invalidations: Invalidations): PaymentInbox {
  const announce = async <Answer extends Receipt | null>(answer: Answer): Promise<Answer> => {
    const keys = answer?.account?.keys ?? [];
    if (keys.length > 0) await invalidations.send({ changed: 'account', keys: keys.map(({ hash }) => hash) });
    return answer;
  };
  return {
    receive: async (event, now, apply) => announce(await inbox.receive(event, now, apply)),
    replay: async (event, now, apply) => announce(await inbox.replay(event, now, apply)),
    linked: (customer, count) => inbox.linked(customer, count),
    find: (id) => inbox.find(id),
    naming: (id, count) => inbox.naming(id, count),
    list: (only, count) => inbox.list(only, count),
  };
}
