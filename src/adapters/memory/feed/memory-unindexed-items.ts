import type { UnindexedItems } from '../../../application/ports/feed/unindexed-items.js';

/** There are none: a feed in memory reads the terms of its items itself, and no previous version wrote them. */
export class MemoryUnindexedItems implements UnindexedItems {
  async index(): Promise<number> {
    return 0;
  }
}
