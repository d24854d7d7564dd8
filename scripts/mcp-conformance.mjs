// Runs the scenarios of the official MCP conformance suite that apply to a server of its own tools against a running
// service. The other scenarios need a fixture with tools, prompts and resources of fixed names: they test the library.
// The suite needs Node 22, and sends no key: this program forwards its requests and adds the key. Use:
//   npm install --prefix <folder> node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12
//   ODDSWIRE_URL=http://localhost:8080 ODDSWIRE_KEY=… node scripts/mcp-conformance.mjs <folder>
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

const SCENARIOS = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'caching',
    'http-header-validation',
    'dns-rebinding-protection',
  ],
};

/** Checks that need a tool, a prompt or a resource of the fixture. */
const NEED_FIXTURE = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
]);

const { ODDSWIRE_URL = 'http://localhost:8080', ODDSWIRE_KEY = '' } = process.env;
const [folder = '.'] = process.argv.slice(2);
const node = `${folder}/node_modules/node/bin/node`;
const suite = `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** Forwards a request with its own headers, Host and Origin too. */
const forwarding = createServer((incoming, response) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${ODDSWIRE_KEY}` };
  const outgoing = request(
    new URL(incoming.url, ODDSWIRE_URL),
    { method: incoming.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
});
forwarding.listen(0, '127.0.0.1');
await once(forwarding, 'listening');
const url = `http://localhost:${forwarding.address().port}/mcp`;

let failed = 0;
for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    const args = [suite, 'server', '--url', url, '--scenario', scenario, '--spec-version', version];
    const output = await text(spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
    const checks = [
      ...stripVTControlCharacters(output).matchAll(/ \[([\w-]+) *\] (SUCCESS|FAILURE|WARNING) /g),
    ];
    const count = (wanted) => checks.filter(([, , result]) => result === wanted).length;
    const wrong = checks.filter(([, id, result]) => result !== 'SUCCESS' && !NEED_FIXTURE.has(id));
    const isPassed = checks.length > 0 && wrong.length === 0;
    if (!isPassed) failed += 1;
    const names = wrong.map(([, id]) => id).join(' ');
    const others = `${count('FAILURE') - wrong.length} need a fixture`;
    console.log(
      `${version} ${scenario}: ${count('SUCCESS')} passed, ${others}${isPassed ? '' : `, FAILED: ${names}`}`,
    );
  }
}
forwarding.close();
forwarding.closeAllConnections();
console.log(`${failed} scenarios failed`);
process.exitCode = failed === 0 ? 0 : 1;
