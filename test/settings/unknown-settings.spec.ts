import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';
import { type Environment, EnvironmentReader } from '../../src/settings/environment.js';

const warnings = (environment: Environment): readonly string[] => {
  const lines: string[] = [];
  readConfig(environment, (line) => lines.push(line));
  return lines;
};

const EXAMPLE = readFileSync(resolve(import.meta.dirname, '../../../.env.example'), 'utf8');

/** Variables that shells, containers, clusters, build servers and hosting platforms set. */
const FOREIGN = `
  _ CI COLUMNS DEBIAN_FRONTEND DISPLAY DYNO EDITOR ENV FORCE_COLOR GID HISTSIZE HOME HOSTNAME HOSTTYPE HOST_IP INIT_CWD
  INVOCATION_ID JOURNAL_STREAM LANG LANGUAGE LC_ALL LESS LINES LOGNAME LS_COLORS MAIL MAILTO NODE NODE_ENV NODE_OPTIONS
  NODE_VERSION NO_COLOR NVM_DIR OLDPWD OSTYPE PAGER PATH PGDATA PGHOST PGUSER PORTS POST PS1 PWD RAILWAY_STATIC_URL
  RENDER_EXTERNAL_URL SHELL SHLVL SSH_AUTH_SOCK SSH_CONNECTION SUDO_USER TERM TERM_PROGRAM TMPDIR TZ UID USER VISUAL
  XDG_DATA_DIRS XDG_RUNTIME_DIR YARN_VERSION npm_command npm_config_cache npm_lifecycle_event npm_package_name
  DATABASE_PRIVATE_URL DATABASE_PUBLIC_URL HEROKU_APP_NAME POSTGRES_DB POSTGRES_HOST POSTGRES_PASSWORD POSTGRES_USER
  REDIS_HOST REDIS_PASSWORD REDIS_PORT REDIS_PORT_6379_TCP REDIS_PORT_6379_TCP_ADDR REDIS_SERVICE_HOST REDIS_SERVICE_PORT
  REDIS_TLS_URL SMTP_HOST SMTP_PORT SMTP_USER KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_SERVICE_HOST
  ODDSWIRE_PORT ODDSWIRE_PORT_8080_TCP ODDSWIRE_SERVICE_HOST ODDSWIRE_SERVICE_PORT ODDSWIRE_WORKER POD_IP POD_NAME
  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_ENV GITHUB_GRAPHQL_URL GITHUB_JOB GITHUB_OUTPUT GITHUB_PATH GITHUB_REF GITHUB_REPOSITORY
  GITHUB_RUN_ID GITHUB_SERVER_URL GITHUB_SHA GITHUB_TOKEN GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_OS RUNNER_TEMP
  INTERNAL_URL PG_BIN_DIR CHROMIUM_BIN TEST_DATABASE_URL TEST_REDIS_URL DEEP PICTURES
`;

describe('A variable that looks like a setting', () => {
  // biome-ignore format: a table is read by its columns
  const misspelt: readonly (readonly [variable: string, setting: string])[] = [
    ['DATABSE_URL',                'DATABASE_URL'],
    ['DATABASE_UR',                'DATABASE_URL'],
    ['DATABASE_REPLICA_URL',       'DATABASE_REPLICA_URLS'],
    ['REDIS_URI',                  'REDIS_URL'],
    ['OPERATOR_TOKNE',             'OPERATOR_TOKEN'],
    ['WEB_CONCURENCY',             'WEB_CONCURRENCY'],
    ['LOGLEVEL',                   'LOG_LEVEL'],
    ['MIGRATED',                   'MIGRATE'],
    ['STRIPE_SECRET_KEY',          'STRIPE_API_KEY'],
    ['STRIPE_WEBHOOK_SIGNATURE',   'STRIPE_WEBHOOK_SECRET'],
    ['RATE_LIMIT_ENTERPRISE_DAY',  'RATE_LIMIT_FREE_DAY'],
    ['OIDC_ISSUER_URL',            'OIDC_ISSUER'],
    ['DUNNING_RETRY',              'DUNNING_RETRIES'],
    ['GITHUB_CLIENT_KEY',          'GITHUB_CLIENT_ID'],
  ];
  for (const [variable, setting] of misspelt) {
    it(`causes a warning that suggests ${setting} for ${variable}`, () => {
      expect(warnings({ [variable]: 'x' })).to.deep.equal([
        `${variable} is not a setting. Did you mean ${setting}?`,
      ]);
    });
  }

  it('causes no warning while it is empty', () => {
    expect(warnings({ DATABSE_URL: '', REDIS_URI: undefined })).to.deep.equal([]);
  });

  it('causes a warning in addition to the faults of the settings', () => {
    expect(warnings({ DATABSE_URL: 'x', WEB_CONCURRENCY: '2' })).to.have.length(1);
  });

  it('causes no warning if it is a setting of .env.example', () => {
    const names = EXAMPLE.match(/^[A-Z_]+(?==)/gm) ?? [];
    expect(names.length).to.be.above(50);
    expect(warnings(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([]);
  });

  it('is never a variable that other programs set', () => {
    const names = FOREIGN.trim().split(/\s+/);
    expect(warnings(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([]);
  });

  it('is compared only with the names that were read, not with another list', () => {
    const read = new EnvironmentReader({ FLAVOUR_OF_TEA: 'x', DATABSE_URL: 'y' });
    expect(read.unknown).to.deep.equal([]);
    read.given('FLAVOR_OF_TEA');
    expect(read.unknown).to.deep.equal(['FLAVOUR_OF_TEA is not a setting. Did you mean FLAVOR_OF_TEA?']);
  });
});
