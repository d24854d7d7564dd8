/** Which items have no terms that are valid for a version, as a condition with an index (D57). */
export const withoutTermsOf = (version: number): string =>
  version === 1
    ? 'item.has_terms is null'
    : `(item.has_terms is null or item.terms_version is null or item.terms_version < ${version})`;
