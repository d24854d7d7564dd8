import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

/**
 * Ports without a contract suite, and why: their adapters have no state that instances share. Each adapter has a spec of
 * its own, against a fake of the other side.
 */
const WITHOUT_CONTRACT: Readonly<Record<string, string>> = {
  Ids: 'one adapter, which is random',
  Secrets: 'one adapter, which is random',
  ClockCheck: 'one adapter; the other side is the clock of the database',
  ReferenceSigner: 'one adapter, which is a function of its secrets',
  DestinationLinks: 'one adapter, which is a function of its key',
  FeedBatches: 'one adapter, over what streams read',
  IdentityProvider: 'the other side is a provider of identities',
  Mailer: 'the other side is a mail server',
  Processor: 'the other side is the payment processor',
  Outgoing: 'the other side is a receiver that a customer runs',
  Sealing: 'one adapter, which is a function of its keys',
  WebhookSigner: 'one adapter, which is a function of the secrets',
  BillingPortal: 'the other side is the payment processor',
};

/** Adapters that a suite cannot run, because nothing can be stored in them, and the spec that compares them with another adapter. */
const COMPUTED: Readonly<Record<string, string>> = {
  SandboxFeed: 'test/adapters/sandbox/sandbox-feed.spec.ts',
  SandboxPast: 'test/adapters/sandbox/sandbox-feed.spec.ts',
};

const project = resolve(import.meta.dirname, '../../..');
const textsOf = (folder: string, name: RegExp): readonly string[] =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => readFileSync(join(project, folder, file), 'utf8'));
const found = (texts: readonly string[], pattern: RegExp): readonly string[] =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''));

const ports = found(textsOf('src/application/ports', /\.ts$/), /^export interface (\w+)/gm);
const withContract = ports.filter((port) => WITHOUT_CONTRACT[port] === undefined);
const adapters = textsOf('src/adapters', /\.tsx?$/);
const tables = [
  ...textsOf('test/contract', /(?:^|\/)(?:adapters|opening)\.ts$/),
  ...textsOf('test/support/copies', /^joined-feed\.ts$/),
  ...textsOf('src/adapters/memory/feed', /^memory-feed-store\.ts$/),
].join('\n');
/** The parts of the port `FeedStore`, which adapters may implement alone. */
const FEED_PARTS = 'FeedPages|FeedItems|FeedWriter|FeedHead';

describe('The contract table', () => {
  it('has a suite for each port, except for those with a reason to have none', () => {
    const suites = textsOf('test/contract', /\.spec\.ts$/).join('\n');
    expect(
      withContract.filter((port) => !suites.includes(`eachAdapter('${port}', contracts.`)),
    ).to.deep.equal([]);
    expect(Object.keys(WITHOUT_CONTRACT).filter((port) => !ports.includes(port))).to.deep.equal([]);
  });

  it('has every adapter of these ports, including wrappers', () => {
    const names = `(?:${withContract.join('|')}|${FEED_PARTS})`;
    const classes = found(adapters, new RegExp(`^export class (\\w+) implements ${names}\\b`, 'gm'));
    const factories = found(
      adapters,
      new RegExp(`^export function (\\w+)\\((?:(?!\\n\\})[\\s\\S])*?\\): ${names} \\{`, 'gm'),
    );
    const generic = found(adapters, /^export const (\w+) = <Port extends /gm);
    expect(classes).to.include.members(['PostgresGate', 'CachedGate', 'LeasingCounters', 'FallbackCounters']);
    expect(factories).to.include.members(['hotPages', 'replicatedPages', 'invalidatingAccounts']);
    expect(generic).to.have.members(['guarded', 'throttled']);
    const missing = [...classes, ...factories, ...generic].filter(
      (name) => !new RegExp(`\\b${name}\\(`).test(tables) && COMPUTED[name] === undefined,
    );
    expect(missing).to.deep.equal([]);
    for (const [name, spec] of Object.entries(COMPUTED))
      expect(readFileSync(join(project, spec), 'utf8')).to.include(`new ${name}(`);
  });
});
