import { Gauge, type Registry } from 'prom-client';

/**
 * The caches with a bound in bytes. `pages`: bodies of pages; `compressed`: the same and documents, compressed; `changes`: the newest
 * changes of the feed with their frames; `blocks`: older changes that streams have read.
 */
export type CacheName = 'pages' | 'compressed' | 'changes' | 'blocks';

/** How much memory the caches of this process take. */
export class CacheMetrics {
  readonly #sources = new Map<CacheName, () => number>();

  constructor(registry: Registry) {
    const sources = this.#sources;
    new Gauge({
      name: 'oddswire_cached_bytes',
      help: 'Memory of the caches of this process, by cache. Each has a bound.',
      aggregator: 'sum',
      labelNames: ['cache'],
      registers: [registry],
      collect() {
        for (const [cache, bytes] of sources) this.set({ cache }, bytes());
      },
    });
  }

  /** `bytes` is called for each scrape, so it must only read memory. */
  observe(cache: CacheName, bytes: () => number): void {
    this.#sources.set(cache, bytes);
  }
}
