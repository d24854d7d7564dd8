import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const OPS = resolve(import.meta.dirname, '../../../../ops');

/** The rules of `ops/alerts.yml`. */
export const RULES = {
  file: resolve(OPS, 'alerts.yml'),
  text: readFileSync(resolve(OPS, 'alerts.yml'), 'utf8'),
};

/** The alerts by name, each with the text of its rule. */
export const ALERTS: readonly { readonly name: string; readonly rule: string }[] = RULES.text
  .split(/^ +- alert: /m)
  .slice(1)
  .map((rule) => ({ name: rule.slice(0, rule.indexOf('\n')), rule: `${rule.trimEnd()}\n` }));

type Panel = { readonly targets?: readonly { readonly expr: string }[] };
type Dashboard = {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
};

/** The queries of the dashboard, with values for the variables of Grafana. */
export function dashboardQueries(): readonly string[] {
  const { panels, annotations } = dashboard();
  const queries = [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list];
  return queries.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'));
}

const dashboard = () => JSON.parse(readFileSync(resolve(OPS, 'grafana/oddswire.json'), 'utf8')) as Dashboard;

/** The names of metrics in all rules, queries and variables. */
export function namedMetrics(): readonly string[] {
  const expressions = [...RULES.text.matchAll(/^ +expr: ([\s\S]*?)^ +(?:for|labels):/gm)].map(
    ([, expr]) => expr,
  );
  const variables = dashboard().templating.list.map(({ query }) =>
    typeof query === 'string' ? query : query.query,
  );
  const all = [...expressions, ...dashboardQueries(), ...variables].join('\n');
  return [...new Set(all.match(/\b(?:oddswire|http|nodejs|process)_\w+|\bup\b/g))];
}

/** The metrics of the service in the table of `docs/operations.md`. */
export function documentedMetrics(): readonly string[] {
  const page = readFileSync(resolve(OPS, '../docs/operations.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(oddswire_\w+)/gm)].map(([, name = '']) => name);
  return [...new Set(rows)];
}
