import { OddswireError } from '../errors.js';
import { isTransient } from '../retry.js';
import { isUserCommand, USER_COMMANDS, type UserCommand } from './command-names.js';
import { COMMANDS } from './commands.js';
import { exportHistory } from './export-history.js';
import { historyBeginText } from './history-begin.js';
import { printable } from './printable.js';
import { type Flags, readArguments, TEXT } from './read-arguments.js';
import { type ExitCode, type ProcessParts, Running } from './user-command.js';

const COMMON_FLAGS = {
  url: TEXT,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Flags;

const SURROUNDINGS = `  --url URL     address of the service (default: ODDSWIRE_URL, or http://localhost:8080)
  --json        a line of JSON for each result, also on a terminal
  --help, -h    print this text

  ODDSWIRE_KEY  API key
  ODDSWIRE_URL  address of the service, if --url is absent
  NO_COLOR      no colors

On a terminal, results are a table. In a pipe or a file, each result is a line of JSON, with the fields of the API.
Filters are flags with the names of the API: --market, --category, --source, --source-tier, --source-type, --author,
--relevance, --effect, --outcome, --momentum, --venue, --q, --news-id, --market-id.

Exit codes: 0 done; 1 a failure that may pass, or something was not found; 2 the same command would fail again: a wrong
option, key or position; 130 stopped by Ctrl-C. Messages and errors go to standard error.
`;

const USAGE = `Usage: oddswire <command> [options]

${Object.entries(USER_COMMANDS)
  .map(([name, purpose]) => `  ${name.padEnd(16)}${purpose}`)
  .join('\n')}

${SURROUNDINGS}`;

/** Runs a command of a user, and returns the exit code. It prints no key: neither that of the environment nor one in `args`. */
export async function runProgram(args: readonly string[], parts: ProcessParts): Promise<ExitCode> {
  const [name = '', ...others] = args;
  if (['--help', '-h', 'help'].includes(name)) {
    parts.output.write(USAGE);
    return 0;
  }
  if (!isUserCommand(name)) {
    // The text is not repeated if it can be a key.
    const named = /^[a-z-]{1,20}$/.test(name) ? `unknown command: ${name}` : 'name a command';
    parts.errors.write(`oddswire: ${named}\n\n${USAGE}`);
    return 2;
  }
  if (name === 'export') {
    const { environment, errors, random, pause, signal, fetch } = parts;
    const own = {
      command: 'oddswire export',
      args: others,
      environment,
      output: errors,
      random,
      pause,
      signal,
    };
    return exportHistory({ ...own, ...(fetch && { fetch }) });
  }
  return runCommand(name, others, parts);
}

async function runCommand(
  name: Exclude<UserCommand, 'export'>,
  args: readonly string[],
  parts: ProcessParts,
): Promise<ExitCode> {
  const { usage, flags, hasPositionals = false, run } = COMMANDS[name];
  const read = readArguments(args, { ...COMMON_FLAGS, ...flags }, hasPositionals);
  if ('failed' in read) {
    parts.errors.write(`oddswire: ${read.failed} (oddswire ${name} --help)\n`);
    return 2;
  }
  if (read.values['help'] === true) {
    parts.output.write(`Usage: oddswire ${name} ${usage}\n\n${USER_COMMANDS[name]}\n\n${SURROUNDINGS}`);
    return 0;
  }
  try {
    return await run(new Running(parts, read));
  } catch (error) {
    if (parts.signal.aborted) return 130;
    if (isOfFile(error)) {
      parts.errors.write(`oddswire: ${printable(error.message)}\n`);
      return 1;
    }
    if (!(error instanceof OddswireError)) throw error;
    parts.errors.write(printable(`oddswire: ${[error.message, ...adviceOf(error)].join(' ')}`));
    parts.errors.write('\n');
    return isTransient(error) ? 1 : 2;
  }
}

/** A file that cannot be read or written. Errors of connections are `OddswireError`s. */
const isOfFile = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

/** What to do about a failure. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['connection_failed', 'Check --url or ODDSWIRE_URL.'],
  ['invalid_response', 'Check --url or ODDSWIRE_URL: it must be the address of the service.'],
  ['invalid_options', 'The address is --url or ODDSWIRE_URL; the key is ODDSWIRE_KEY.'],
  ['key_unknown', 'Check ODDSWIRE_KEY.'],
  [
    'position_expired',
    'The changes after this position are gone: read the feed again, without --after and without the position file.',
  ],
]);

const adviceOf = (error: OddswireError): readonly string[] =>
  error.code === 'before_history' ? [historyBeginText(error)] : [ADVICE.get(error.code) ?? []].flat();
