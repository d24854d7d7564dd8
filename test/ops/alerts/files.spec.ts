import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { ALERTS, dashboardQueries, OPS } from '../../support/ops/files.js';
import { promtool, promtoolWith } from '../../support/ops/promtool.js';

const text = (path: string) => readFileSync(resolve(OPS, path), 'utf8');

/** The section of the runbooks. */
const runbooks = () =>
  text('../docs/operations.md')
    .split(/^## /m)
    .find((section) => section.startsWith('Runbooks')) ?? '';

describe('The files for Prometheus and Grafana', function () {
  this.timeout(30_000);

  it('are accepted by promtool: the rules, and the configuration that loads them', () => {
    promtool('check', 'rules', resolve(OPS, 'alerts.yml'));
    promtool('check', 'config', resolve(OPS, 'prometheus.yml'));
  });

  it('have 8 to 15 alerts, each with a summary, a description and a runbook in docs/operations.md', () => {
    expect(ALERTS.length).to.be.within(8, 15);
    const headings = [...runbooks().matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).to.deep.equal(ALERTS.map(({ name }) => name));
    for (const { name, rule } of ALERTS) {
      expect(rule, name).to.match(/^ +summary: \S/m);
      expect(rule, name).to.match(/^ +description: \S/m);
      expect(rule, name).to.match(/^ +severity: (?:critical|warning)$/m);
      expect(rule, name).to.include(`runbook_url: docs/operations.md#${name.toLowerCase()}\n`);
    }
  });

  it('have a runbook section with effect, check and action for each alert', () => {
    const sections = runbooks().split(/^### /m).slice(1);
    for (const section of sections)
      for (const label of ['**For customers.**', '**Check.**', '**Do.**'])
        expect(section, section.split('\n')[0]).to.include(label);
  });

  it('have a dashboard whose every query is PromQL', () => {
    const rules = dashboardQueries().map((expr, i) => ({ record: `dashboard:query_${i}`, expr }));
    expect(rules.length).to.be.greaterThan(20);
    promtoolWith(['check', 'rules'], { groups: [{ name: 'dashboard', rules }] });
    const broken = { record: 'dashboard:broken', expr: 'sum(up' };
    expect(() => promtoolWith(['check', 'rules'], { groups: [{ name: 'x', rules: [broken] }] })).to.throw(
      'parse error',
    );
  });

  it('are named in the table of metrics of docs/operations.md', () => {
    const table = text('../docs/operations.md');
    for (const { name } of ALERTS) {
      if (name !== 'InstanceDown') expect(table, name).to.include(`\`${name}\``);
    }
  });
});
