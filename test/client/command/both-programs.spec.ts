import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { USER_COMMANDS } from '../../../packages/client/src/command/command-names.js';
import { COMMANDS } from '../../../packages/client/src/command/commands.js';
import { exportHistory } from '../../../packages/client/src/command/export-history.js';
import { run } from '../../support/client/packed.js';
import { hasPython, PYTHON_PACKAGE } from '../../support/client/python-client.js';

const optionsIn = (help: string): readonly string[] =>
  [...new Set([...help.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, name = '']) => name))].sort();

/** Of the program of Node. */
async function helpOfExport(): Promise<string> {
  const output = new PassThrough();
  const { signal } = new AbortController();
  const pause = () => Promise.resolve();
  const args = ['--help'];
  await exportHistory({ command: 'export', args, environment: {}, output, random: () => 0, pause, signal });
  output.end();
  return text(output);
}

/** A user who changes the language keeps the commands (D133). */
describe('Both programs oddswire', function () {
  this.timeout(30_000);
  const help = async (...args: readonly string[]) => {
    const { stdout } = await run('python3', ['-m', 'oddswire', ...args, '--help'], {
      env: { PATH: process.env['PATH'], PYTHONPATH: PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE: '1' },
    });
    // Without the general text, which names options of other commands.
    return stdout.split('\n\nexit codes')[0] ?? '';
  };
  before(function () {
    if (!hasPython) this.skip(); // This machine has no command python3.
  });

  for (const name of Object.keys(USER_COMMANDS) as (keyof typeof USER_COMMANDS)[])
    it(`take the same options: ${name}`, async () => {
      const own =
        name === 'export'
          ? [...optionsIn(await helpOfExport()), 'help']
          : ['help', 'json', 'url', ...Object.keys(COMMANDS[name].flags)];
      expect(optionsIn(await help(name))).to.deep.equal(own.sort());
    });
});
