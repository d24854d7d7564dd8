/** What a database stores about its schema. */
export type SchemaState = {
  /** The names of the applied migrations. */
  readonly applied: readonly string[];
  /** The oldest version whose code runs with the schema. Null if none is stored; then no version is too old. */
  readonly oldestVersion: string | null;
};

/** What a version of the service can do with a schema (D113). */
export type SchemaFit =
  /** The version knows every applied migration. Those in `pending` are not applied yet. */
  | { readonly fit: 'known'; readonly pending: readonly string[] }
  /** A newer version applied more migrations. The code of this version still runs, but must not migrate. */
  | { readonly fit: 'newer'; readonly newer: readonly string[] }
  /** The code of this version would fail, or would damage data. */
  | { readonly fit: 'refused'; readonly reason: string };

/** Whether `version`, which knows the migrations in `known`, may run on a schema. */
export function schemaFit(version: string, known: readonly string[], state: SchemaState): SchemaFit {
  const { applied, oldestVersion } = state;
  if (oldestVersion !== null && compareVersions(version, oldestVersion) < 0) {
    return {
      fit: 'refused',
      reason: `the database has a newer schema, which needs version ${oldestVersion} or later; this is version ${version}`,
    };
  }
  const newer = applied.filter((name) => !known.includes(name));
  const pending = known.filter((name) => !applied.includes(name));
  if (newer.length === 0) return { fit: 'known', pending };
  if (pending.length === 0) return { fit: 'newer', newer };
  // Versions of two branches: nobody tested the pending migrations after the newer ones.
  return {
    fit: 'refused',
    reason: `the database has migrations that version ${version} does not know (${newer.join(', ')}) and lacks others (${pending.join(', ')})`,
  };
}

/**
 * The newest of some versions; null if there are none. Each migration of a schema states its oldest version, and the
 * schema needs the newest of these.
 */
export const newestVersion = (versions: readonly string[]): string | null =>
  versions.reduce<string | null>(
    (newest, version) => (newest === null || compareVersions(version, newest) > 0 ? version : newest),
    null,
  );

/** Negative if `a` is older. Compares numbers: `0.10.0` is newer than `0.9.0`. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [numbersOf(a), numbersOf(b)];
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** A suffix such as `-rc.1` does not count: the release candidate has the code of its release. */
function numbersOf(version: string): readonly [number, number, number] {
  const found = /^(\d+)\.(\d+)\.(\d+)(?:[-+].+)?$/.exec(version);
  if (found === null) throw new Error(`"${version}" is not a version such as 1.2.3`);
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}
