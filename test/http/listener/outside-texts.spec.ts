import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Measured } from '../../support/load/measure-work.js';
import { CONTROLS, OUTSIDE_TEXTS } from '../../support/load/outside-texts.js';
import { runs } from '../../support/objects/builders.js';

/** The work allowed for each character of a text, and for a request without one. */
const PER_CHARACTER = 64;
const BASE_WORK = 50_000;

/** Each route of the internal listener reads a path that begins like its own. */
const MANY_ROUTES = /internal/;

const limitOf = ({ name, length }: Measured): number =>
  (MANY_ROUTES.test(name) ? 2 : 1) * PER_CHARACTER * length + BASE_WORK;

/** The work that texts of 16 KB cause, counted without a clock in a separate process (`work-meter.ts`). */
describe('The work that a text from outside causes', () => {
  let measured: ReadonlyMap<string, Measured>;
  before(async () => {
    const program = join(import.meta.dirname, '../../support/load/measure-work.js');
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(runs(5).numRuns)], {
      env,
    });
    const lines = stdout.trim().split('\n');
    measured = new Map(lines.map((line) => JSON.parse(line) as Measured).map((row) => [row.name, row]));
  }).timeout(180_000);

  const rowOf = (name: string): Measured => measured.get(name) ?? expect.fail(`${name} was not measured`);
  const expectLinear = (row: Measured) =>
    expect(row.work, `${row.name}, by ${JSON.stringify(row.text)}`).to.be.at.most(limitOf(row));

  for (const { name } of OUTSIDE_TEXTS) {
    it(`grows at most linearly with its length: ${name} (T1, T19)`, () => {
      expectLinear(rowOf(name));
    });
  }

  for (const name of [
    'the key of a request, in X-API-Key',
    'the key of a request, in Authorization',
    'Host, repeated',
  ]) {
    it(`includes the headers, of which there are as many as line ends: ${name}`, () => {
      // Without the headers it is less than half of that, the base cost of a request.
      expect(rowOf(name).work).to.be.greaterThan(10 * rowOf(name).length);
    });
  }

  it('grows at most linearly in whole requests, wherever the text is (T1, T19)', () => {
    const requests = [...measured.values()].filter(({ name }) => /^a (?:request|form) /.test(name));
    expect(requests.length).to.be.greaterThan(20);
    for (const row of requests) expectLinear(row);
  });

  for (const { name } of CONTROLS) {
    it(`is detected by this test if it grows faster: ${name}`, () => {
      const row = rowOf(name);
      expect(row.work).to.be.greaterThan(3 * limitOf(row));
    });
  }
});
