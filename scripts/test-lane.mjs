// A process of `npm test`. It starts its servers once, then runs the groups of spec files that it reads from standard input, each a
// line of JSON. So modules are loaded and servers are started once for many groups. After the output of a group it writes a line
// with the result. It ends when its input ends. The parameter is the module with the hooks, if the specs need servers.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';
import DotReporter from './dot-reporter.cjs';

const [hooksFile] = process.argv.slice(2);
const hooks = hooksFile === undefined ? {} : await import(pathToFileURL(resolve(hooksFile)));

// Mocha ignores a rejection that nothing handles. Between two groups, Node would end the process.
process.on('unhandledRejection', (reason) => console.error('unhandled rejection:', reason));
await hooks.mochaGlobalSetup?.();
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`\0${JSON.stringify(await run(JSON.parse(line)))}\n`);
await hooks.mochaGlobalTeardown?.();
// Handles that a test left open do not keep the process alive.
process.exit();

async function run({ files, timeout }) {
  const mocha = new Mocha({ timeout, forbidOnly: true, reporter: DotReporter, rootHooks: hooks.mochaHooks });
  for (const file of files) mocha.addFile(resolve(file));
  await mocha.loadFilesAsync();
  return new Promise((done) => {
    const { stats } = mocha.run((failing) =>
      done({ passing: stats.passes, pending: stats.pending, failing }),
    );
  });
}
