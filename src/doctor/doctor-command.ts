import { parseArgs } from 'node:util';
import { type Check, exitCodeOf, RESULTS } from '../adapters/findings/check.js';
import { withoutSecrets } from '../adapters/findings/without-secrets.js';
import { type Config, readConfig } from '../settings/config.js';
import type { Environment } from '../settings/environment.js';
import { identityChecks } from './identity-checks.js';
import { machineChecks } from './machine-checks.js';
import { mailCheck } from './mail-check.js';
import { postgresChecks } from './postgres-checks.js';
import { redisChecks } from './redis-checks.js';
import { runChecks } from './run-checks.js';
import { invalidSettings, secretsOf, settingsChecks, unknownSettings } from './settings-checks.js';
import { stripeChecks } from './stripe-checks.js';

const usageOf = (command: string): string => `Usage: ${command} [--json]

Reads the settings of the service, and checks them and every server that they name. It changes no data, sends no email,
and does not start the service. Checks run side by side, each for at most 5 s.

  --json   print a JSON array of {check, result, detail, advice}
  --help   print this text

A result is ok, warning, failed, or skipped (not configured, or not possible because another check failed). Below a warning
or a failure is what to do. The exit code is 0 without a failure, 1 with one, and 2 for wrong arguments.
`;

const LIMIT_MS = 5_000;

type CommandParts = {
  /** How the caller starts the command, for the usage. */
  readonly command: string;
  readonly args: readonly string[];
  /** The environment and the file of settings, or why they cannot be read. */
  readonly read: () => { readonly environment: Environment } | { readonly fault: string };
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
};

/** `npm run doctor`. Returns the exit code. */
export async function doctorCommand({
  command,
  args,
  read,
  print,
  printError,
}: CommandParts): Promise<0 | 1 | 2> {
  const options = readArgs(args);
  if ('fault' in options) {
    printError(`oddswire: ${options.fault}\n\n${usageOf(command)}`);
    return 2;
  }
  if (options.help) {
    print(usageOf(command));
    return 0;
  }
  const checks = await examine(read());
  print(options.json ? `${JSON.stringify(checks, null, 2)}\n` : textOf(checks));
  return exitCodeOf(checks);
}

type Options = { readonly json: boolean; readonly help: boolean };

function readArgs(args: readonly string[]): Options | { readonly fault: string } {
  try {
    const option = { type: 'boolean', default: false } as const;
    const options = { json: option, help: { ...option, short: 'h' } };
    return parseArgs({ args: [...args], options }).values;
  } catch (fault) {
    if (fault instanceof TypeError) return { fault: fault.message };
    throw fault;
  }
}

async function examine(read: ReturnType<CommandParts['read']>): Promise<readonly Check[]> {
  if ('fault' in read) return invalidSettings([read.fault]);
  const unknown: string[] = [];
  const config = readConfig(read.environment, (line) => unknown.push(line));
  if ('faults' in config) return [...invalidSettings(config.faults), ...unknownSettings(unknown)];
  const found = await runChecks(checksOf(config), LIMIT_MS);
  const secrets = secretsOf(config);
  return [...settingsChecks(config, unknown), ...found].map((check) => ({
    ...check,
    detail: withoutSecrets(check.detail, secrets),
  }));
}

const checksOf = (config: Config) => [
  ...postgresChecks(config),
  ...redisChecks(config.redisUrls),
  mailCheck(config),
  ...stripeChecks(config),
  ...identityChecks(config),
  ...machineChecks(config),
];

function textOf(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap(({ check, result, detail, advice }) => [
    `${result.padEnd(8)} ${check.padEnd(width)}  ${detail}`,
    ...(advice === null ? [] : [`${' '.repeat(9)}${' '.repeat(width)}  What to do: ${advice}`]),
  ]);
  const counts = RESULTS.map(
    (result) => `${checks.filter((each) => each.result === result).length} ${result}`,
  );
  return `${lines.join('\n')}\n\n${counts.join(', ')}\n`;
}
