import { expect } from 'chai';
import pg from 'pg';
import { createClient } from 'redis';
import { type Installation, startInstallation } from '../../support/doctor/installation.js';
import { diagnose, runDoctor, withResult } from '../../support/doctor/run-doctor.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';

describe('The doctor', function () {
  this.timeout(60_000);
  let all: Installation;
  before(async () => {
    all = await startInstallation();
  });
  after(() => all.stop());

  const examine = (changed: Readonly<Record<string, string>> = {}) =>
    diagnose({ ...all.settings, ...changed }, all.secrets);

  /** Expects that exactly these checks failed, each with what to do. */
  const expectFailure = async (
    { code, checks }: Awaited<ReturnType<typeof examine>>,
    expected: Readonly<Record<string, { readonly detail: RegExp; readonly advice: RegExp }>>,
  ) => {
    expect(withResult(checks, 'failed')).to.deep.equal(Object.keys(expected));
    for (const [check, { detail, advice }] of Object.entries(expected)) {
      expect(checks.get(check)?.detail).to.match(detail);
      expect(checks.get(check)?.advice).to.match(advice);
    }
    expect(code).to.equal(1);
  };

  it('finds every part of a complete installation well, and leaves no trace in its stores', async () => {
    const before = await contentOf(all);
    const { code, checks } = await examine();
    expect(withResult(checks, 'failed')).to.deep.equal([]);
    expect(withResult(checks, 'warning')).to.deep.equal([]);
    expect(withResult(checks, 'skipped')).to.deep.equal(['replicas', 'disk STATE_DIR']);
    expect(withResult(checks, 'ok')).to.include.members([
      'settings',
      'postgres',
      'postgres schema',
      'postgres locks',
      'postgres notifications',
      'postgres timestamps',
      'postgres skip locked',
      'postgres isolation',
      'postgres writes',
      'postgres history',
      'postgres clock',
      'redis',
      'redis scripts',
      'redis messages',
      'redis eviction',
      'redis clock',
      'mail server',
      'stripe',
      'stripe clock',
      'openid provider',
      'github',
      'open files',
    ]);
    expect(code).to.equal(0);
    expect(all.mail.mails).to.deep.equal([]);
    expect(await contentOf(all)).to.deep.equal(before);
  });

  it('prints a line for each check, and what to do below it', async () => {
    const settings = { ...all.settings, TEST_CLOCK: '1', DATABASE_REPLICA_URLS: 'postgres://127.0.0.1:1/x' };
    const { code, stdout, stderr } = await runDoctor(settings, [], all.secrets);
    expect(stdout).to.match(/^ok +postgres locks +an advisory lock excludes other connections$/m);
    expect(stdout).to.match(/^warning +settings TEST_CLOCK +on: .+\n +What to do: Do not set it/m);
    expect(stdout).to.match(
      /^failed +replica +cannot use 127\.0\.0\.1:1\/x: .+\n +What to do: Start Postgres/m,
    );
    expect(stdout).to.match(/\n\n\d+ ok, 1 warning, 1 failed, 1 skipped\n$/);
    expect([code, stderr]).to.deep.equal([1, '']);
  });

  it('has exit code 0 for help, and 2 for arguments that it does not know', async () => {
    const help = await runDoctor({}, ['--help']);
    expect([help.code, help.stderr]).to.deep.equal([0, '']);
    expect(help.stdout).to.include('Usage: npm run doctor');
    for (const args of [['--jason'], ['file']]) {
      const wrong = await runDoctor({}, args);
      expect([wrong.code, wrong.stdout], args.join()).to.deep.equal([2, '']);
      expect(wrong.stderr).to.include('Usage: npm run doctor');
    }
  });

  it('names every invalid and every unknown setting, and checks nothing else', async () => {
    const { code, stdout } = await runDoctor(
      { PORT: 'x', SMTP_URL: 'http://secret@x', OIDC_ISSUERS: 'x' },
      [],
    );
    expect(stdout)
      .to.match(/^failed +settings +PORT must be/m)
      .and.to.match(/^failed +settings +SMTP_URL/m)
      .and.to.match(/^warning +settings +.*OIDC_ISSUERS/m);
    expect(stdout).to.match(/0 ok, 1 warning, 2 failed, 0 skipped/);
    expect(code).to.equal(1);
  });

  it('warns of settings that are unknown or weak, which is no failure', async () => {
    const { code, checks } = await examine({ OIDC_ISSUERS: 'x', PUBLIC_URL: 'http://news.example.com' });
    expect(withResult(checks, 'warning')).to.include('settings PUBLIC_URL');
    expect(checks.get('settings')?.detail).to.include('Did you mean OIDC_ISSUER?');
    expect(code).to.equal(0);
  });

  const unusedPort = (name: string) => {
    const url = new URL(all.settings[name] ?? '');
    url.port = '1';
    return { [name]: url.href };
  };

  it('names Postgres with a wrong port, and skips what needs it', async () => {
    const found = await examine(unusedPort('DATABASE_URL'));
    await expectFailure(found, {
      postgres: { detail: /127\.0\.0\.1:1\/postgres: .*ECONNREFUSED/, advice: /Start Postgres/ },
    });
    expect(found.checks.get('postgres locks')?.detail).to.equal('Postgres cannot be reached');
  });

  it('names a wrong password of Postgres', async () => {
    const url = new URL(all.settings['DATABASE_URL'] ?? '');
    url.password = 'wrong-password';
    await expectFailure(await examine({ DATABASE_URL: url.href }), {
      postgres: {
        detail: /password authentication failed/,
        advice: /Correct the user name and the password/,
      },
    });
  });

  it('names a wrong password of a Postgres that takes longer than requests may wait', async () => {
    const proxy = await startSilentProxy(all.settings['DATABASE_URL'] ?? '');
    try {
      // The refusal is the third answer.
      proxy.delay(500);
      const url = new URL(proxy.url);
      url.password = 'wrong-password';
      const found = await examine({ DATABASE_URL: url.href });
      expect(found.checks.get('postgres')?.detail).to.match(/password authentication failed/);
    } finally {
      await proxy.stop();
    }
  });

  it('names a Postgres that is frozen, in time', async () => {
    await all.postgres.freeze();
    try {
      await expectFailure(await examine(), { postgres: { detail: /timeout/, advice: /answers \(psql\)/ } });
    } finally {
      await all.postgres.thaw();
    }
  });

  it('names a read-only database', async () => {
    await onServer(all, 'alter database postgres set default_transaction_read_only = on');
    try {
      const found = await examine();
      await expectFailure(found, {
        'postgres writes': { detail: /read-only/, advice: /default_transaction_read_only/ },
      });
      expect(found.checks.get('postgres skip locked')?.result).to.equal('skipped');
    } finally {
      await onServer(
        all,
        'set transaction read write; alter database postgres reset default_transaction_read_only',
      );
    }
  });

  it('says that the default isolation of the database is not that of the service', async () => {
    await onServer(all, "alter database postgres set default_transaction_isolation = 'serializable'");
    const { checks } = await examine();
    await onServer(all, 'alter database postgres reset default_transaction_isolation');
    expect(checks.get('postgres isolation')).to.include({ result: 'ok' });
    expect(checks.get('postgres isolation')?.detail).to.include(
      'serializable, applies to other programs only',
    );
  });

  it('names a schema of a newer version', async () => {
    await onServer(all, "update schema_compatibility set oldest_version = '99.0.0'");
    try {
      await expectFailure(await examine(), {
        'postgres schema': { detail: /needs version 99\.0\.0 or later/, advice: /revert its migrations/ },
      });
    } finally {
      await onServer(all, "update schema_compatibility set oldest_version = '0.2.0'");
    }
  });

  it('names a database without tables if the service does not migrate it, else says that the service will', async () => {
    await onServer(all, 'create schema empty');
    const url = new URL(all.settings['DATABASE_URL'] ?? '');
    url.searchParams.set('options', '-c search_path=empty');
    await expectFailure(await examine({ DATABASE_URL: url.href, MIGRATE: 'off' }), {
      'postgres schema': { detail: /no tables, and MIGRATE is off/, advice: /npm run migrate/ },
    });
    const { code, checks } = await examine({ DATABASE_URL: url.href });
    expect(checks.get('postgres schema')?.detail).to.include('creates them at its start');
    expect(checks.get('postgres history')?.result).to.equal('skipped');
    expect(code).to.equal(0);
  });

  it('warns of a Redis that evicts keys, and names a Redis that is down', async () => {
    const client = createClient({ url: all.redis.url });
    await client.connect();
    await client.configSet('maxmemory-policy', 'allkeys-lru');
    client.destroy();
    const evicting = await examine();
    expect(withResult(evicting.checks, 'warning')).to.deep.equal(['redis eviction']);
    expect(evicting.checks.get('redis eviction')?.advice).to.include('noeviction');
    expect(evicting.code).to.equal(0);
    await all.redis.kill();
    try {
      await expectFailure(await examine(), { redis: { detail: /ECONNREFUSED/, advice: /Start Redis/ } });
    } finally {
      await all.redis.restart();
    }
  });

  it('names a key that Stripe refuses, and a clock that differs', async () => {
    Object.assign(all.stripe, { failing: 401 });
    await expectFailure(await examine(), {
      stripe: { detail: /credentials are refused: HTTP 401/, advice: /STRIPE_API_KEY/ },
    });
    Object.assign(all.stripe, { failing: null, clockAheadMs: 120_000 });
    await expectFailure(await examine(), {
      'stripe clock': { detail: /Stripe is 1(19|20) s ahead/, advice: /time synchronisation/ },
    });
    all.stripe.clockAheadMs = -5_000;
    const { code, checks } = await examine();
    all.stripe.clockAheadMs = 0;
    expect([code, checks.get('stripe clock')?.result]).to.deep.equal([0, 'warning']);
  });

  it('names an OpenID provider with another issuer, and one without a discovery document', async () => {
    all.openId.instead = () => ({ json: { issuer: 'https://other.example' } });
    await expectFailure(await examine(), {
      'openid provider': { detail: /names another issuer/, advice: /OIDC_ISSUER to the issuer exactly/ },
    });
    all.openId.instead = () => 404;
    await expectFailure(await examine(), {
      'openid provider': { detail: /HTTP 404/, advice: /openid-configuration/ },
    });
    all.openId.instead = () => null;
  });
});

async function onServer({ postgres }: Installation, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** What the stores contain: the rows of each table, and the keys of Redis. */
async function contentOf(all: Installation): Promise<unknown> {
  const rows = await onServer(
    all,
    `select table_name, query_to_xml(format('select * from %I', table_name), true, false, '')::text as rows
     from information_schema.tables where table_schema = 'public' order by table_name`,
  );
  const client = createClient({ url: all.redis.url });
  await client.connect();
  const keys = await client.keys('*');
  client.destroy();
  return { rows, keys };
}
