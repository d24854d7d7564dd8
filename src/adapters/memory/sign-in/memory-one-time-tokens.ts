import type { Ticket, Tickets } from '../../../application/ports/sign-in/tickets.js';
import type { Moment } from '../../../domain/moment.js';
import { isLinkTo, isValid, type SecretHash } from '../../../domain/sign-in/sign-in.js';

/** Tickets of one process, for demos and tests. */
export class MemoryTickets implements Tickets {
  readonly #tickets = new Map<SecretHash, Ticket>();

  async keep(hash: SecretHash, ticket: Ticket, now: Moment): Promise<void> {
    for (const [other, { expiresAt }] of this.#tickets) {
      if (!isValid({ expiresAt }, now)) this.#tickets.delete(other);
    }
    this.#tickets.set(hash, ticket);
  }

  async find(hash: SecretHash): Promise<Ticket | null> {
    return this.#tickets.get(hash) ?? null;
  }

  async take(hash: SecretHash): Promise<Ticket | null> {
    const ticket = this.#tickets.get(hash) ?? null;
    this.#tickets.delete(hash);
    return ticket;
  }

  async removeLinks(email: string): Promise<void> {
    for (const [hash, ticket] of this.#tickets) if (isLinkTo(ticket, email)) this.#tickets.delete(hash);
  }
}
