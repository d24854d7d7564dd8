import { stdioCommand } from '../adapters/mcp/stdio-command.js';
import { processEnvironment } from '../settings/process-environment.js';
import { VERSION } from '../settings/version.js';
import { invocationOf } from './invocation.js';

/** `npm run mcp` and `oddswire mcp`: the MCP server over standard input and output. */
const code = await stdioCommand({
  command: invocationOf('mcp', 'npm run --silent mcp'),
  args: process.argv.slice(2),
  environment: processEnvironment(),
  print: (text) => process.stderr.write(text),
  version: VERSION,
});
if (code !== null) process.exitCode = code;
