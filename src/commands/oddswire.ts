#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { isUserCommand, USER_COMMANDS } from '../../packages/client/src/command/command-names.js';
import { VERSION } from '../settings/version.js';
import { useOddswireName } from './invocation.js';

/** The module of each subcommand, and its purpose. */
const COMMANDS: ReadonlyMap<string, { readonly module: string; readonly purpose: string }> = new Map([
  ['start', { module: '../main.js', purpose: 'start the service' }],
  [
    'demo',
    { module: './demo.js', purpose: 'start a demo in memory, with invented stories and printed keys' },
  ],
  [
    'migrate',
    { module: './migrate.js', purpose: 'apply the new migrations to the database of DATABASE_URL' },
  ],
  [
    'publish',
    {
      module: './import.js',
      purpose: 'publish a file to a running service; `--check`: only say what is wrong in it',
    },
  ],
  ['import', { module: './import.js', purpose: 'another name of `publish`' }],
  [
    'destinations',
    {
      module: './destinations.js',
      purpose: '`reset`: tell every destination of a restore; `seal`: seal their secrets with a new key',
    },
  ],
  ['doctor', { module: './doctor.js', purpose: 'check the settings and the servers that they name' }],
  ['mcp', { module: './mcp.js', purpose: 'serve the tools for agents over standard input and output' }],
]);

/** The program of the client runs the commands of users (D133). */
const USER_PROGRAM = new URL('../../packages/client/src/command/main.js', import.meta.url);

const listed = (name: string, purpose: string): string => `  ${name.padEnd(16)}${purpose}`;

const USAGE = `Usage: oddswire <command> [options]

The service:
${[...COMMANDS].map(([name, { purpose }]) => listed(name, purpose)).join('\n')}

Users of the API, with ODDSWIRE_URL and ODDSWIRE_KEY:
${Object.entries(USER_COMMANDS)
  .map(([name, purpose]) => listed(name, purpose))
  .join('\n')}

  --help, -h      print this text; after a command: the options of the command
  --version, -v   print the version

Settings are environment variables, or lines of .env in the working directory.`;

/** `npx oddswire`: runs a command of the service from an installed package. The image uses it too. */
const [name = '', ...options] = process.argv.slice(2);
const command = COMMANDS.get(name);
const isHelpOfStart = name === 'start' && options.some((option) => ['--help', '-h'].includes(option));
if (command !== undefined && !isHelpOfStart) {
  const url = new URL(command.module, import.meta.url);
  // As if Node had started this module: it reads its options from there, and a supervisor starts its workers from there.
  process.argv.splice(1, 2, fileURLToPath(url));
  useOddswireName(name);
  await import(url.href);
} else if (isUserCommand(name)) {
  process.argv.splice(1, 1, fileURLToPath(USER_PROGRAM));
  await import(USER_PROGRAM.href);
} else if (['--help', '-h', 'help'].includes(name) || isHelpOfStart) {
  console.log(USAGE);
} else if (['--version', '-v'].includes(name)) {
  console.log(VERSION);
} else {
  console.error(name === '' ? 'oddswire: name a command' : `oddswire: unknown command: ${name}`);
  console.error(`\n${USAGE}`);
  process.exitCode = 2;
}
