import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import sinon from 'sinon';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresGate } from '../../../src/adapters/postgres/keys/postgres-gate.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { auditContext, runs } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { until } from '../../support/until.js';

const HASHES_PER_READ = 500;
const READS_MAX = 2;

/** A read that Postgres has answered, and whose answer the gate has not received yet. */
type Read = { readonly hashes: readonly KeyHash[]; readonly answer: () => void; readonly fail: () => void };

/** Holds back the answers of all reads on this pool. */
function holdReads(db: Knex): Read[] {
  const reads: Read[] = [];
  const client = db.client as { _query: (connection: unknown, sent: SentQuery) => Promise<unknown> };
  const query = client._query.bind(client);
  sinon.replace(client, '_query', async (connection, sent) => {
    const answered = await query(connection, sent);
    return new Promise((done, fail) => {
      const fault = Object.assign(new Error('canceling statement'), { code: '57014' });
      reads.push({
        hashes: sent.bindings[0] ?? [],
        answer: () => done(answered),
        fail: () => fail(fault),
      });
    });
  });
  return reads;
}
type SentQuery = { readonly bindings: readonly (readonly KeyHash[])[] };

describe('Look-ups of keys in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  let gate: PostgresGate;
  let accounts: PostgresAccounts;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
    accounts = new PostgresAccounts(schema.connect());
  });
  beforeEach(() => {
    gate = new PostgresGate(db);
  });
  after(() => schema.close());
  afterEach(() => sinon.restore());

  const someHashes = (count: number) => Array.from({ length: count }, () => aFreshKey().hash);

  it('have the results of the same look-ups one by one, whenever they are made', async () => {
    const keys = (await Promise.all([anAccount(accounts, 3), anAccount(accounts, 2)])).flatMap(
      (account) => account.keys,
    );
    const hashes = [...keys.map(({ hash }) => hash), ...someHashes(3)];
    const expected = new Map<KeyHash, unknown>();
    for (const hash of hashes) expected.set(hash, await gate.find(hash));
    expect([...expected.values()].filter((entry) => entry !== null)).to.have.length(5);
    const lookUp = fc.record({ hash: fc.constantFrom(...hashes), isLast: fc.boolean() });
    const property = fc.asyncProperty(fc.array(lookUp, { maxLength: 60 }), async (lookUps) => {
      const found = [];
      for (const { hash, isLast } of lookUps) {
        found.push(gate.find(hash));
        if (isLast) await nextImmediate();
      }
      expect(await Promise.all(found)).to.deep.equal(lookUps.map(({ hash }) => expected.get(hash)));
    });
    await fc.assert(property, runs(50));
  });

  it('share one read if they are made in one turn of the event loop', async () => {
    const reads = holdReads(db);
    const hashes = someHashes(200);
    const found = hashes.map((hash) => gate.find(hash));
    await until(true, () => reads.length > 0);
    expect(reads.map((read) => read.hashes)).to.deep.equal([hashes]);
    reads[0]?.answer();
    expect(await Promise.all(found)).to.deep.equal(Array(200).fill(null));
  });

  it(`wait together while ${READS_MAX} reads are under way, and share reads of at most ${HASHES_PER_READ} hashes`, async () => {
    const reads = holdReads(db);
    const found = [];
    for (let i = 0; i < 2; i += 1) {
      found.push(gate.find(aFreshKey().hash));
      await until(true, () => reads.length > i);
    }
    for (const hash of someHashes(HASHES_PER_READ + 1)) {
      found.push(gate.find(hash));
      await nextImmediate();
    }
    expect(reads).to.have.length(READS_MAX);
    for (const read of reads) read.answer();
    await until(true, () => reads.length === 2 * READS_MAX);
    const sizes = reads.map(({ hashes }) => hashes.length);
    expect(sizes.toSorted((a, b) => a - b)).to.deep.equal([1, 1, 1, HASHES_PER_READ]);
    for (const read of reads) read.answer();
    expect(await Promise.all(found)).to.deep.equal(Array(HASHES_PER_READ + 3).fill(null));
  });

  it('show a change that was committed before, even while an earlier read of the same key is under way (D39)', async () => {
    const account = await anAccount(accounts);
    const { id, hash } = firstKey(account);
    const reads = holdReads(db);
    const earlier = gate.find(hash);
    await until(true, () => reads.length === 1);
    await accounts.change(account.id, (found) => applyOperatorEvent(found, id, 'held', auditContext()));
    const later = gate.find(hash);
    await until(true, () => reads.length === 2);
    for (const read of reads) read.answer();
    expect((await earlier)?.key.state.status).to.equal('active');
    expect((await later)?.key.state.status).to.equal('suspended');
  });

  it('fail with `Unavailable` only if their own read fails, and later ones do not', async () => {
    const reads = holdReads(db);
    const lookUp = (hashes: readonly KeyHash[]) =>
      Promise.all(hashes.map((hash) => gate.find(hash).catch((fault: unknown) => fault)));
    const readOf = (hash: KeyHash | undefined) =>
      reads.find(({ hashes }) => hash !== undefined && hashes.includes(hash));
    const [failing, intact, waiting] = [someHashes(3), someHashes(3), someHashes(3)];
    const answers = [lookUp(failing)];
    await until(true, () => reads.length === 1);
    answers.push(lookUp(intact));
    await until(true, () => reads.length === 2);
    answers.push(lookUp(waiting));
    await nextImmediate();
    readOf(failing[0])?.fail();
    await until(true, () => reads.length === 3);
    for (const hashes of [intact, waiting]) readOf(hashes[0])?.answer();
    const [faults = [], ...found] = await Promise.all(answers);
    expect(faults).to.have.length(3);
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    expect(found).to.deep.equal(Array(2).fill([null, null, null]));
  });
});
