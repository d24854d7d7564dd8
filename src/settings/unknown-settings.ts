/** Names that begin so are settings of this service or mistakes: nothing else on a machine uses these prefixes. */
const OWN_PREFIXES = ['ABUSE_', 'DUNNING_', 'GITHUB_CLIENT_', 'OIDC_', 'RATE_LIMIT_', 'STRIPE_'];

/**
 * Edits by which a variable may differ from a setting to count as a misspelling of it. Short names are too close to
 * names that every environment has: HOST and HOME, PORT and PATH.
 */
const editsAllowed = (setting: string): number => (setting.length >= 8 ? 2 : setting.length >= 6 ? 1 : 0);

/** One line for each variable that is no setting but looks like one; `settings` are the known names. */
export function unknownSettings(
  variables: readonly string[],
  settings: ReadonlySet<string>,
): readonly string[] {
  return variables.flatMap((variable) => {
    const meant = settings.has(variable) ? undefined : settingMeant(variable, [...settings]);
    return meant === undefined ? [] : [`${variable} is not a setting: do you mean ${meant}?`];
  });
}

function settingMeant(variable: string, settings: readonly string[]): string | undefined {
  const prefix = OWN_PREFIXES.find((own) => variable.startsWith(own));
  const distances = settings
    .filter((setting) => prefix === undefined || setting.startsWith(prefix))
    .map((setting) => ({ setting, edits: editDistance(variable, setting) }))
    .filter(({ setting, edits }) => prefix !== undefined || edits <= editsAllowed(setting));
  return distances.sort((a, b) => a.edits - b.edits)[0]?.setting;
}

/** Levenshtein: single characters inserted, removed or replaced. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const row = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (above[j] ?? 0) + (character === other ? 0 : 1);
      row.push(Math.min(replaced, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
