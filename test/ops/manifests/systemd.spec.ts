import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';

const UNIT = readFileSync(resolve('ops/systemd/oddswire.service'), 'utf8');
const { scripts } = JSON.parse(readFileSync(resolve('package.json'), 'utf8')) as {
  readonly scripts: { readonly start: string };
};
/** The largest DRAIN_DELAY_MS, and the time that the service then has to close connections and background jobs. */
const SHUTDOWN_SECONDS_MAX = 60 + 22;
/** Of `systemd-analyze security`, times ten: 0 is the best, 100 a service without any protection. */
const EXPOSURE_MAX = 20;

describe('The unit for systemd', () => {
  let folder: string;
  before(function () {
    if (onPath('systemd-analyze').length === 0) {
      console.log('      skipped: systemd-analyze is not installed');
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'oddswire-unit-'));
  });
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  /** The unit with programs and files that exist on this machine. */
  const analyze = (unit: string, ...args: readonly string[]) => {
    const file = join(folder, 'oddswire.service');
    writeFileSync(file, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`));
    const { status, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    return { status, stderr };
  };

  it('is accepted by systemd without a warning', () => {
    expect(analyze(UNIT, 'verify')).to.deep.equal({ status: 0, stderr: '' });
    expect(analyze(UNIT.replace('ProtectHome=', 'ProtectHomes='), 'verify').stderr).to.include('Unknown key');
  });

  it(`is exposed less than ${EXPOSURE_MAX / 10} of 10 points`, () => {
    const checks = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`];
    expect(analyze(UNIT, ...checks).status).to.equal(0);
    expect(analyze(UNIT.replace(/^Protect.*\n|^System.*\n/gm, ''), ...checks).status).not.to.equal(0);
  });

  it('starts the same command as npm start', () => {
    const [, options] = /^exec node (.*) dist\/src\/main\.js$/.exec(scripts.start) ?? [];
    expect(UNIT).to.include(
      `ExecStart=/usr/bin/node ${options} /opt/oddswire/node_modules/oddswire/dist/src/main.js\n`,
    );
  });

  it('waits longer for the shutdown than the service needs', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(UNIT) ?? [];
    expect(Number(seconds)).to.be.above(SHUTDOWN_SECONDS_MAX);
  });
});
