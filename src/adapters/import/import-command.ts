import { parseArgs } from 'node:util';
import { PUBLISH_MODES, type PublishMode } from '../../domain/feed/assign-scored-at.js';
import { feedSource } from './feed-source.js';
import { type ImportOutcome, importFeed } from './import-feed.js';
import { internalPost } from './internal-post.js';
import { checkedCounts, counts, type Output, type Progress, progressOn } from './progress.js';
import { publisherToken } from './publisher-token.js';
import { type Pause, retryingPost } from './retrying-post.js';

const usageOf = (command: string) => `Usage: ${command} <file|-> [--mode live|backfill] [--check]

Publishes an NDJSON file, one publication a line, through the internal listener of a running service.

  -                read standard input
  --mode live      publish the items as the newest (the default)
  --mode backfill  publish the items with the times in the file
  --check          publish nothing, and print what the service would reject

The first 20 rejected lines are printed, then the number of the others. The exit codes are:

  0  every line was published, or is in the feed already, or the file is empty
  1  some lines were rejected
  2  the arguments, the settings or the file are wrong, or the service refused the request
  3  the service is not available or has failed

  INTERNAL_URL     URL of the internal listener (default: http://127.0.0.1 with INTERNAL_PORT or 8081)
  PUBLISHER_TOKEN  publisher token of the service (default: the token in STATE_DIR or ./var)
`;

export type CommandParts = {
  /** How the caller starts this command, for example `npm run import --`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Output;
  readonly pause: Pause;
  /** Milliseconds since an arbitrary start. */
  readonly now: () => number;
};

type Call = {
  readonly command: string;
  readonly file: string;
  readonly mode: PublishMode;
  /** Whether the call is a dry run (D140). */
  readonly isCheck: boolean;
  readonly url: string;
};

type ExitCode = 0 | 1 | 2 | 3;

/**
 * `npm run import`, `oddswire import` and `oddswire publish`. The usage has the exit codes. An empty file is 0, so that a scheduled
 * import does not fail when there is nothing new.
 */
export async function importCommand(parts: CommandParts): Promise<ExitCode> {
  const { args, environment, input, output } = parts;
  if (args.includes('--help') || args.includes('-h')) {
    output.write(usageOf(parts.command));
    return 0;
  }
  const fail = (failed: string): ExitCode => {
    output.write(`oddswire: ${failed}\n`);
    return 2;
  };
  const call = readCall(parts);
  if ('failed' in call) return fail(call.failed);
  const token = await publisherToken(environment);
  if ('failed' in token) return fail(token.failed);
  const source = await feedSource(call.file, callerFolder(environment), input);
  if ('failed' in source) return fail(source.failed);

  const count = call.isCheck ? checkedCounts : counts;
  const progress = progressOn(output, source.bytes, { now: parts.now, count });
  const post = retryingPost(internalPost({ ...call, token }), { pause: parts.pause, print: progress.print });
  return runAndReport(call, parts.now, progress, () => importFeed({ chunks: source.chunks, post, progress }));
}

async function runAndReport(
  call: Call,
  now: () => number,
  progress: Progress,
  run: () => Promise<ImportOutcome>,
): Promise<ExitCode> {
  const startedAt = now();
  const count = call.isCheck ? checkedCounts : counts;
  const outcome = await run().finally(() => progress.close());
  if (outcome.failed === undefined && answeredLines(outcome) === 0) {
    progress.print(`${call.file === '-' ? 'standard input' : call.file} is empty: nothing to publish`);
    return 0;
  }
  if (outcome.failed === undefined) {
    progress.print(`${count(outcome)} in ${((now() - startedAt) / 1_000).toFixed(1)} s`);
    return outcome.rejected === 0 ? 0 : 1;
  }
  progress.print(`oddswire: ${outcome.failed}`);
  const { nextLine } = outcome;
  progress.print(
    nextLine === undefined
      ? 'Nothing was published.'
      : `${count(outcome)}; ${nextStep(call, outcome, nextLine)}`,
  );
  return outcome.isUnavailable === true ? 3 : 2;
}

const answeredLines = ({ published, unchanged, rejected }: ImportOutcome): number =>
  published + unchanged + rejected;

/** If no line was answered, the whole file is to be sent again. */
const nextStep = (call: Call, outcome: ImportOutcome, nextLine: number): string =>
  answeredLines(outcome) === 0 ? 'run the same command again.' : continueCommand(call, nextLine);

/** npm runs scripts in the folder of the project; paths are relative to the folder of the caller. */
const callerFolder = ({ INIT_CWD, npm_lifecycle_event }: CommandParts['environment']): string =>
  npm_lifecycle_event === 'import' && INIT_CWD ? INIT_CWD : '.';

function continueCommand({ command, file, mode, isCheck }: Call, line: number): string {
  if (file === '-') return `continue with line ${line}.`;
  const quoted = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  return `continue with line ${line}: tail -n +${line} ${quoted} | ${command} - --mode ${mode}${isCheck ? ' --check' : ''}`;
}

function readCall({ command, args, environment }: CommandParts): Call | { readonly failed: string } {
  const { INTERNAL_URL, INTERNAL_PORT } = environment;
  const url = (INTERNAL_URL || `http://127.0.0.1:${INTERNAL_PORT || 8081}`).replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:\/\/[^/?#@]+$/.test(url)) {
    return { failed: 'INTERNAL_URL must be like http://127.0.0.1:8081, without a path' };
  }
  const read = readArgs(args);
  if (typeof read === 'string') return { failed: `${read}\n${usageOf(command)}` };
  return { ...read, command, url };
}

function readArgs(args: readonly string[]): Pick<Call, 'file' | 'mode' | 'isCheck'> | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { mode: { type: 'string', default: 'live' }, check: { type: 'boolean', default: false } },
    });
    const mode = PUBLISH_MODES.find((known) => known === values.mode);
    if (mode === undefined) return `--mode must be one of ${PUBLISH_MODES.join(', ')}`;
    const [file, ...others] = positionals;
    return file === undefined || others.length > 0
      ? 'name one file, or - for standard input'
      : { file, mode, isCheck: values.check };
  } catch (fault) {
    if (fault instanceof TypeError && 'code' in fault) return withoutNodeAdvice(fault.message);
    throw fault;
  }
}

/** Node adds advice about file names that begin with `-`, which is wrong for most callers. */
function withoutNodeAdvice(message: string): string {
  const [, option] = /^Unknown option '([^']+)'/.exec(message) ?? [];
  if (option === undefined) return message;
  return `there is no such option: ${option}${option === '--dry-run' ? '; did you mean --check?' : ''}`;
}
