import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { columns } from '../dist/src/adapters/postgres/accounts/account-writing.js';
import { randomIds, sha256OfKey } from '../dist/src/adapters/system/random-ids.js';
import { freshKey } from '../dist/src/application/keys/fresh-key.js';
import { openAccount } from '../dist/src/domain/accounts/account.js';
import { PLANS } from '../dist/src/domain/billing/plan.js';
import { issueKey } from '../dist/src/domain/keys/account-keys.js';
import { keyFormat } from '../dist/src/domain/keys/key-value.js';

/** Accounts are written in chunks of this number. */
const CHUNK = 1_000;
const ACCOUNT = ['id', 'email', 'processor_customer_id', 'body', 'due_at', 'claimed_until'];
const KEY = ['id', 'hash', 'prefix', 'account_id'];

/**
 * Inserts `count` Pro accounts with one active key each, opened at `openedAt`. The rows are those that the service writes,
 * but without audit entries and without the effects of triggers. Returns id and value of the first `kept` keys.
 */
export async function copyAccounts(url, count, kept, openedAt) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Without triggers: a trigger for each row would take longer than the copy.
  await client.query('set session_replication_role = replica; set synchronous_commit = off');
  const makeKey = freshKey({ ids: randomIds, hashKey: sha256OfKey, keyFormat: keyFormat('svc_') });
  const keys = [];
  for (let n = 0; n < count; n += CHUNK) {
    const opened = Array.from({ length: Math.min(CHUNK, count - n) }, (_, i) =>
      openedWithKey(n + i, makeKey, openedAt),
    );
    await copy(
      client,
      'account',
      ACCOUNT,
      opened.map(({ account }) => ({ id: account.id, ...columns(account) })),
    );
    await copy(
      client,
      'api_key',
      KEY,
      opened.map(({ account, fresh }) => ({ ...fresh, account_id: account.id })),
    );
    keys.push(
      ...opened.slice(0, kept - n > 0 ? kept - n : 0).map(({ fresh, value }) => ({ id: fresh.id, value })),
    );
  }
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  return keys;
}

function openedWithKey(n, makeKey, at) {
  const context = { actor: 'operator', reason: null, at };
  const identity = {
    id: randomIds.account(),
    subscriptionId: randomIds.subscription(),
    email: `bench-${n}@example.org`,
  };
  const opened = openAccount({ ...identity, plan: 'pro', processorCustomerId: null }, context).next;
  const { fresh, value } = makeKey(null);
  return { account: issueKey(opened, fresh, PLANS.pro, context).next, fresh, value };
}

async function copy(client, table, names, rows) {
  const lines = rows.map((row) => `${names.map((name) => escaped(row[name])).join('\t')}\n`);
  await pipeline(
    Readable.from([lines.join('')]),
    client.query(from(`copy ${table} (${names.join(', ')}) from stdin`)),
  );
}

/** A value in the text format of `COPY`. */
function escaped(value) {
  if (value === null) return '\\N';
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
