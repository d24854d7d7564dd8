import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';
import type { Environment } from '../../src/settings/environment.js';

const project = resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(resolve(project, file), 'utf8');

type Row = {
  readonly name: string;
  /** Null if the page says `none`. */
  readonly fallback: string | null;
  readonly least: number | null;
  readonly most: number | null;
  readonly effect: string;
};

const PAGE = read('docs/settings.md');
const CELLS = /^\| `([A-Z_]+)` \| (?:none|`([^`]*)`) \| ([^|]+) \| ([^|]+) \|$/gm;
const RANGE = /^(\d[\d ]*) to (\d[\d ]*)$/;
const digits = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text.replaceAll(' ', ''));

const ROWS: readonly Row[] = [...PAGE.matchAll(CELLS)].map(
  ([, name = '', fallback = null, values = '', effect = '']) => {
    const [, least, most] = RANGE.exec(values) ?? [];
    return { name, fallback, least: digits(least), most: digits(most), effect };
  },
);
const FALLBACKS = Object.fromEntries(
  ROWS.flatMap(({ name, fallback }) => (fallback ? [[name, fallback]] : [])),
);

/** Settings that others need: without them, the others would be refused or ignored. */
const NEEDED: Environment = {
  DATABASE_URL: 'postgres://db.example/oddswire',
  REDIS_URL: 'redis://redis.example',
  STRIPE_WEBHOOK_SECRET: 'whsec_a',
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'me',
  OIDC_CLIENT_SECRET: 'hush',
  GITHUB_CLIENT_ID: 'me',
  GITHUB_CLIENT_SECRET: 'hush',
};

const settingsRead = (): readonly string[] => {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void names.add(String(name)) }));
  return [...names];
};

describe('docs/settings.md', () => {
  it('has exactly one row for each setting that the service reads', () => {
    const names = settingsRead();
    expect(names.length).to.be.greaterThan(50);
    expect(ROWS.map(({ name }) => name)).to.have.members(names);
    expect(PAGE.match(/^\| `/gm)).to.have.length(ROWS.length);
  });

  it('has the defaults of the code: setting all of them changes nothing', () => {
    expect(Object.keys(FALLBACKS).length).to.be.greaterThan(30);
    const config = readConfig(NEEDED);
    expect(config).not.to.have.property('faults');
    expect(readConfig({ ...NEEDED, ...FALLBACKS })).to.deep.equal(config);
  });

  for (const { name, fallback } of ROWS.filter((row) => row.fallback !== null)) {
    it(`states a default of ${name} that a different value would contradict`, () => {
      const other = { ...NEEDED, ...FALLBACKS, [name]: `${fallback}1` };
      expect(readConfig(other)).not.to.deep.equal(readConfig(NEEDED));
    });
  }

  for (const { name, least, most } of ROWS) {
    if (least === null || most === null) continue;
    it(`has the range of ${name}: ${least} to ${most} are accepted, their neighbours refused`, () => {
      const faults = (value: number): readonly string[] => {
        const config = readConfig({ ...NEEDED, [name]: String(value) });
        return 'faults' in config ? config.faults : [];
      };
      expect([...faults(least), ...faults(most)]).to.deep.equal([]);
      expect([faults(least - 1), faults(most + 1)].map((found) => found.length)).to.deep.equal([1, 1]);
    });
  }

  it('has the range of each setting that is a whole number', () => {
    const faults = (name: string): readonly string[] => {
      const config = readConfig({ ...NEEDED, [name]: 'x' });
      return 'faults' in config ? config.faults : [];
    };
    const whole = ROWS.filter(({ name }) =>
      faults(name).some((fault) => fault.includes('a whole number from')),
    );
    expect(whole.length).to.be.greaterThan(20);
    expect(whole.filter(({ least }) => least === null)).to.deep.equal([]);
  });
});

describe('.env.example', () => {
  it('has one line for each setting, with the default of docs/settings.md', () => {
    const lines = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
    const example = lines.map(([, name, value]) => ({ name, value }));
    expect(example).to.have.deep.members(ROWS.map(({ name, fallback }) => ({ name, value: fallback ?? '' })));
  });
});
