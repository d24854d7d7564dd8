/**
 * No other program uses these prefixes. A variable with one of them is therefore a setting of this service, or a
 * misspelt one.
 */
const OWN_PREFIXES = ['ABUSE_', 'DUNNING_', 'GITHUB_CLIENT_', 'OIDC_', 'RATE_LIMIT_', 'STRIPE_'];

/**
 * The number of edits up to which a variable counts as a misspelling of a setting. Short settings are too similar to
 * variables of every environment: HOST and HOME, PORT and PATH.
 */
const editsAllowed = (setting: string): number => (setting.length >= 8 ? 2 : setting.length >= 6 ? 1 : 0);

/** A line for each variable that is not a setting but looks like one. `settings` are the known names. */
export function unknownSettings(
  variables: readonly string[],
  settings: ReadonlySet<string>,
): readonly string[] {
  return variables.flatMap((variable) => {
    const suggestion = settings.has(variable) ? undefined : closestSetting(variable, [...settings]);
    return suggestion === undefined ? [] : [`${variable} is not a setting. Did you mean ${suggestion}?`];
  });
}

function closestSetting(variable: string, settings: readonly string[]): string | undefined {
  const prefix = OWN_PREFIXES.find((own) => variable.startsWith(own));
  const distances = settings
    .filter((setting) => (prefix === undefined ? maySpell(variable, setting) : setting.startsWith(prefix)))
    .map((setting) => ({ setting, edits: editDistance(variable, setting) }))
    .filter(({ setting, edits }) => prefix !== undefined || edits <= editsAllowed(setting));
  return distances.sort((a, b) => a.edits - b.edits)[0]?.setting;
}

/** Each edit changes the length by at most one. The distances of all pairs would take 40 ms at each start. */
const maySpell = (variable: string, setting: string): boolean =>
  Math.abs(variable.length - setting.length) <= editsAllowed(setting);

/** The Levenshtein distance: the number of characters inserted, removed or replaced. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const row = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (previous[j] ?? 0) + (character === other ? 0 : 1);
      row.push(Math.min(replaced, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
