import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect } from 'chai';
import { identifiersIn, withSyntax } from './support/syntax/syntax.js';

/** Words that are no names. The glossary of `CONTRIBUTING.md` has the terms to use. */
const BANNED = new Set(
  'place places placed placing turn turns sighting sightings letter letters told struck strike standing ticket tickets misshapen said pretend'.split(
    ' ',
  ),
);

/** The same, in exactly this form. */
const BANNED_NAMES = new Set(
  'Word lastingWord words Act Acts acts trip watch look part PART_STATES Shape Signal Signals'.split(' '),
);

/** D122: names of stored or sent fields and of library APIs, with the files that map them. */
const STORED_OR_SENT: Readonly<Record<string, readonly string[]>> = {
  'src/adapters/postgres/accounts/account-body.ts': ['standing', 'watch'],
  'src/adapters/postgres/needed-grants.ts': ['ticket', 'turn'],
  'packages/client/src/api.ts': ['part'],
  'src/adapters/http/openapi/examples/feed-examples.ts': ['part', 'words'],
  'src/adapters/http/operations/health.ts': ['part', 'words'],
  'src/adapters/http/operations/status.ts': ['part'],
  'src/adapters/reference/status/status-page.tsx': ['part'],
  'src/adapters/http/schema/operation-schemas.ts': ['part', 'words'],
  'src/domain/accounts/operator-actions.ts': ['watch'],
  'src/adapters/dashboard/operator/accounts/actions.tsx': ['watch'],
  'src/adapters/dashboard/operator/accounts/action-text.ts': ['watch'],
  'src/process/stop-on-signals.ts': ['Signals'],
  'test/adapters/postgres/migrations.spec.ts': ['watch'],
  'test/service/black-box/usage.suite.ts': ['part'],
  'test/service/faults/waiting-start.spec.ts': ['words'],
  'test/service/site/status-page.spec.ts': ['part'],
  'test/service/stores/workers.spec.ts': ['part', 'words'],
  'test/support/versions/feed-store-before.ts': ['place'],
};

const project = resolve(import.meta.dirname, '../..');
const files = ['src', 'test', 'bench', 'scripts', 'examples', 'packages/client/src'].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .map((file) => join(folder, file)),
);

const isBanned = (name: string): boolean => BANNED_NAMES.has(name) || BANNED.has(name.toLowerCase());

describe('The vocabulary', () => {
  it('recognises a banned name, and nothing inside longer names', () => {
    const banned = ['place', 'Turns', 'TURN', 'words'];
    expect(banned.filter((name) => !isBanned(name))).to.deep.equal([]);
    const allowed = ['replace', 'return', 'placeIn', 'AbuseSignals', 'wordsOf', 'outstanding'];
    expect(allowed.filter(isBanned)).to.deep.equal([]);
  });

  it('has no banned word in a file name', () => {
    expect(files.filter((file) => isBanned(basename(file).replace(/\..*$/, '')))).to.deep.equal([]);
  });

  it('has no banned word in an identifier, except names of stored or sent fields', () => {
    const found: Record<string, readonly string[]> = {};
    let count = 0;
    withSyntax(files, (file, syntax) => {
      const names = identifiersIn(syntax);
      count += names.size;
      const banned = [...names].filter(isBanned).sort();
      if (banned.length > 0) found[file] = banned;
    });
    expect(count).to.be.above(10_000);
    expect(found).to.deep.equal(STORED_OR_SENT);
  });
});
