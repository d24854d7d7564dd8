import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT, run } from '../../support/client/packed.js';
import { hasPython, PYTHON_PACKAGE } from '../../support/client/python-client.js';

const textOf = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

describe('The Python package', function () {
  this.timeout(60_000);

  before(function () {
    if (!hasPython) this.skip(); // This machine has no command python3.
  });

  it('passes its own tests with the standard library, without a warning (D136)', async () => {
    const options = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'];
    const { stderr } = await run('python3', options, {
      cwd: PYTHON_PACKAGE,
      env: { PATH: process.env['PATH'], PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stderr)
      .to.match(/Ran \d\d+ tests/)
      .and.match(/\nOK\n$/);
  });

  it('has the types of the schemas that the service publishes: otherwise run npm run client:types', async () => {
    const script = `import { pythonTypes } from './scripts/python-types.mjs'; process.stdout.write(pythonTypes());`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: PROJECT,
    });
    expect(stdout).to.equal(textOf('packages/python/oddswire/api.py'));
  });

  it('has the license of the service', () => {
    expect(textOf('packages/python/LICENSE')).to.equal(textOf('LICENSE'));
  });
});
