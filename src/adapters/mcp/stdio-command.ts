import { restApi } from './rest-api.js';
import { toolServers } from './tool-server.js';

const usageOf = (command: string) => `Usage: ${command}

Serves the tools of the MCP server over standard input and output, for agents that start a program. It talks to a running
service over HTTP.

  ODDSWIRE_URL  address of the service, for example https://api.example.com (default: http://localhost:8080)
  ODDSWIRE_KEY  API key
`;

type Parts = {
  /** How the caller starts this command, for example `npm run --silent mcp`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Standard error: standard output has the messages of the protocol only. */
  readonly print: (text: string) => void;
  readonly version: string;
};

/** `npm run mcp` and `oddswire mcp`. Returns the exit code, or null while it serves. */
export async function stdioCommand(parts: Parts): Promise<number | null> {
  const { args, environment, print, version } = parts;
  if (args.includes('--help') || args.includes('-h')) {
    print(usageOf(parts.command));
    return 0;
  }
  const read = readSettings(environment);
  if ('failed' in read) {
    print(`oddswire: ${read.failed}\n`);
    return 1;
  }
  const [library, { serveStdio }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const report = () => print('oddswire: a tool failed\n');
  const toolServer = toolServers(library, version);
  serveStdio(() => toolServer({ callApi: restApi({ ...read, fetch }), report }), { maxSubscriptions: 1 });
  return null;
}

type Settings = { readonly url: string; readonly key: string };

function readSettings({
  ODDSWIRE_URL,
  ODDSWIRE_KEY: key = '',
}: Parts['environment']): Settings | { readonly failed: string } {
  const url = (ODDSWIRE_URL || 'http://localhost:8080').replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:\/\/[^/?#@]+$/.test(url))
    return { failed: 'ODDSWIRE_URL must be like https://api.example.com, without a path' };
  // A key is visible ASCII. Other texts cannot be sent in a header, and the error of the header would show them.
  if (!/^[!-~]+$/.test(key)) return { failed: 'ODDSWIRE_KEY must be the API key' };
  return { url, key };
}
