import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../../src/settings/config.js';
import { distributionProgram, type Program } from '../../support/packages/distribution-program.js';

type ComposedService = {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A text, or an object without an address. */
  readonly ports?: readonly (string | object)[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
};
type Composition = {
  readonly services: Readonly<Record<string, ComposedService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};

const FILE = resolve('compose.yaml');
const EXAMPLE = readFileSync(resolve('ops/compose.env.example'), 'utf8');
const VALUES: Readonly<Record<string, string>> = {
  ODDSWIRE_HOST: 'oddswire.example.com',
  ODDSWIRE_TLS: 'internal',
  OPERATOR_TOKEN: 'an-operator-token-of-the-test',
  PUBLISHER_TOKEN: 'a-publisher-token-of-the-test',
  POSTGRES_PASSWORD: 'password1',
  GRAFANA_PASSWORD: 'password2',
};

/** Prints the checked file as JSON, with the parser of docker-compose. */
const AS_JSON = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';

describe('compose.yaml', function () {
  this.timeout(60_000);
  let compose: Program;
  let folder: string;
  before(function () {
    const found = distributionProgram({
      name: 'docker-compose',
      inPackage: 'docker-compose',
      path: 'usr/bin/docker-compose',
    });
    if (found === undefined) {
      console.log('      skipped: docker-compose cannot be had');
      return this.skip();
    }
    compose = found;
    folder = mkdtempSync(join(tmpdir(), 'oddswire-compose-'));
  });
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const environment = () => {
    // A program of Python: it needs the modules beside it if it was only unpacked.
    const modules = resolve(compose.file, '../../lib/python3/dist-packages');
    return { PATH: process.env['PATH'] ?? '', PYTHONPATH: modules };
  };
  /** Runs `docker-compose config` with the example as `.env`, filled in with these values. */
  const config = (values: Readonly<Record<string, string>>, text = readFileSync(FILE, 'utf8')) => {
    const filled = EXAMPLE.replaceAll(/^(\w+)=$/gm, (_, name: string) => `${name}=${values[name] ?? ''}`);
    writeFileSync(join(folder, '.env'), filled);
    writeFileSync(join(folder, 'compose.yaml'), text);
    const args = ['-f', join(folder, 'compose.yaml'), '--env-file', join(folder, '.env'), 'config'];
    const [program, ...before] =
      compose.file === 'docker-compose' ? [compose.file] : ['/usr/bin/python3', compose.file];
    return spawnSync(program ?? '', [...before, ...args], {
      encoding: 'utf8',
      cwd: folder,
      env: environment(),
    });
  };
  const composed = (): Composition => {
    const { stdout, stderr } = config(VALUES);
    const json = spawnSync('/usr/bin/python3', ['-c', AS_JSON], {
      input: stdout,
      encoding: 'utf8',
      env: environment(),
    });
    expect(json.status, stderr + json.stderr).to.equal(0);
    return JSON.parse(json.stdout) as Composition;
  };

  it('is valid with the example of the environment, filled in', () => {
    const { status, stderr } = config(VALUES);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    const misspelt = config(VALUES, readFileSync(FILE, 'utf8').replace('healthcheck:', 'healthchecks:'));
    expect(misspelt.stderr).to.include("Unsupported config option for services.oddswire: 'healthchecks'");
  });

  it('names each variable that must be filled in', () => {
    for (const name of Object.keys(VALUES)) {
      const { status, stderr } = config({ ...VALUES, [name]: '' });
      expect(status, name).not.to.equal(0);
      expect(stderr).to.include(`set ${name} in .env`);
    }
  });

  it('publishes only Caddy to other machines', () => {
    const { services } = composed();
    const open = Object.entries(services).filter(([, { ports = [] }]) =>
      ports.some((port) => typeof port !== 'string' || !port.startsWith('127.0.0.1:')),
    );
    expect(open.map(([name]) => name)).to.deep.equal(['caddy']);
  });

  it('keeps Postgres and Redis in a network that leads nowhere, with the service only', () => {
    const { services, networks } = composed();
    expect(networks['data']).to.deep.equal({ internal: true });
    for (const name of ['postgres', 'redis'])
      expect(Object.keys(services[name]?.networks ?? {}), name).to.deep.equal(['data']);
    const inside = Object.entries(services).filter(([, service]) => 'data' in service.networks);
    expect(inside.map(([name]) => name).sort()).to.deep.equal(['oddswire', 'postgres', 'redis']);
  });

  it('checks the health of every service, and starts each after those that it needs', () => {
    const { services } = composed();
    expect(Object.keys(services)).to.have.length(6);
    for (const [name, { healthcheck, depends_on = {} }] of Object.entries(services)) {
      expect(healthcheck, name).to.be.an('object');
      for (const { condition } of Object.values(depends_on))
        expect(condition, name).to.equal('service_healthy');
    }
    expect(Object.keys(services['oddswire']?.depends_on ?? {}).sort()).to.deep.equal(['postgres', 'redis']);
  });

  it('gives the service settings that it accepts, in a read-only container without capabilities', () => {
    const { oddswire } = composed().services;
    const warnings: string[] = [];
    const settings = readConfig(oddswire?.environment ?? {}, (line) => warnings.push(line));
    expect('faults' in settings ? settings.faults : [], 'faults').to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
    expect(oddswire).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
  });

  it('passes on every setting of .env, and the example names those that it sets itself', () => {
    const own = Object.keys(composed().services['oddswire']?.environment ?? {});
    const filled: readonly string[] = EXAMPLE.match(/^\w+(?==)/gm) ?? [];
    const [, listed = ''] = /^# (DATABASE_URL .*)$/m.exec(EXAMPLE) ?? [];
    expect(listed.split(' ')).to.deep.equal(own.filter((name) => !filled.includes(name)).sort());
    const { stdout } = config({ ...VALUES, SMTP_URL: 'smtp://mail.example' });
    expect(stdout).to.include('SMTP_URL: smtp://mail.example');
  });

  it('mounts the files of ops/ read-only', () => {
    const mounted = Object.values(composed().services)
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.includes('/ops/'));
    expect(mounted.map((volume) => volume.split(':')[0]?.split('/ops/')[1]).sort()).to.deep.equal([
      'alerts.yml',
      'caddy/Caddyfile',
      'grafana',
      'grafana/provisioning',
      'prometheus.yml',
    ]);
    for (const volume of mounted) expect(volume).to.match(/:ro$/);
  });

  it('mounts the dashboards where Grafana looks for them', () => {
    const provisioning = readFileSync(resolve('ops/grafana/provisioning/dashboards/oddswire.yml'), 'utf8');
    const [, path] = /^ +path: (\S+)$/m.exec(provisioning) ?? [];
    const { volumes = [] } = composed().services['grafana'] ?? {};
    expect(volumes.map((volume) => volume.split(':')[1])).to.include(path);
  });
});
