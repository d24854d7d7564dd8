import { type Finding, ok, warning } from '../../adapters/findings/check.js';

/** The memory settings of one Redis server; null if it does not report one. */
export type MemoryPolicy = { readonly policy: string | null; readonly maxBytes: number | null };

/**
 * Judges all nodes. A server that evicts keys forgets counters, and then admits more requests than a plan has. Policies that
 * evict only keys with an expiry evict the counters too, because all of them expire.
 */
export function evictionFinding(nodes: readonly MemoryPolicy[]): Finding {
  const policies = [...new Set(nodes.map(({ policy }) => policy ?? 'unknown'))].sort();
  if (policies.includes('unknown')) {
    return warning(
      'Redis does not report its eviction policy',
      'Check in its settings that maxmemory-policy is noeviction.',
    );
  }
  if (policies.every((policy) => policy === 'noeviction')) return ok('no key is evicted (noeviction)');
  const limit = nodes.some(({ maxBytes }) => maxBytes !== null && maxBytes > 0)
    ? 'when its memory is full'
    : 'as soon as maxmemory is set';
  return warning(
    `maxmemory-policy is ${policies.join(', ')}: Redis deletes counters of request limits ${limit}`,
    'Set maxmemory-policy to noeviction, and alert on used_memory.',
  );
}
