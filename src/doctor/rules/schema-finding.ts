import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';

/** How a version of the service fits to the schema of a database. */
export type SchemaFacts =
  | { readonly fit: 'known'; readonly applied: number; readonly pending: readonly string[] }
  | { readonly fit: 'newer'; readonly newer: readonly string[] }
  | { readonly fit: 'refused'; readonly reason: string };

export function schemaFinding(facts: SchemaFacts, migratesAtStart: boolean): Finding {
  switch (facts.fit) {
    case 'refused':
      return failed(
        facts.reason,
        'Start a version that knows this schema, or revert its migrations with the newer version: npm run migrate -- back.',
      );
    case 'newer':
      return ok(
        `a newer version applied ${facts.newer.join(', ')}; this version can run on the schema, and applies no migration`,
      );
    case 'known':
      return pendingFinding(facts.applied, facts.pending, migratesAtStart);
  }
}

function pendingFinding(applied: number, pending: readonly string[], migratesAtStart: boolean): Finding {
  if (pending.length === 0) return ok(`all ${applied} migrations are applied`);
  const detail =
    applied === 0 ? 'the database has no tables' : `migrations are not applied: ${pending.join(', ')}`;
  if (!migratesAtStart) {
    return failed(
      `${detail}, and MIGRATE is off: the service does not start`,
      'Run npm run migrate as the owner of the tables.',
    );
  }
  if (applied === 0) return ok('the database has no tables; the service creates them at its start');
  return warning(
    `${detail}; the service applies them at its start`,
    'Check that a current backup exists before you start this version.',
  );
}
