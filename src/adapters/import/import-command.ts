import { parseArgs } from 'node:util';
import { PUBLISH_MODES, type PublishMode } from '../../domain/feed/assign-scored-at.js';
import { feedSource } from './feed-source.js';
import { type ImportOutcome, importFeed } from './import-feed.js';
import { internalPost } from './internal-post.js';
import { counts, type Output, type Progress, progressOn } from './progress.js';
import { publisherToken } from './publisher-token.js';
import { type Pause, retryingPost } from './retrying-post.js';

const USAGE = `Usage: npm run import -- <file|-> [--mode live|backfill]

Publishes a file of NDJSON, one publication a line, through the internal interface of a running service.

  -                read what is piped in
  --mode live      new items go before everything published so far (the default)
  --mode backfill  items keep the times they bring

The exit code is 0 when every line was published; an empty file has no lines, so it is 0 too. It is 1 when a line was
rejected or the import ended early. The first 20 rejected lines are printed, and the number of the others.

  INTERNAL_URL     the internal listener (http://127.0.0.1, at INTERNAL_PORT or 8081)
  PUBLISHER_TOKEN  the publisher token of the service; without it, the one in STATE_DIR (./var)
`;

export type CommandParts = {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Output;
  readonly pause: Pause;
  /** In milliseconds, from any start. */
  readonly now: () => number;
};

type Call = { readonly file: string; readonly mode: PublishMode; readonly url: string };

/**
 * `npm run import`: the exit code is 0 when every line was published, 1 for anything else. An empty file is 0, so that a
 * scheduled import of what is new does not fail when nothing is.
 */
export async function importCommand(parts: CommandParts): Promise<0 | 1> {
  const { args, environment, input, output } = parts;
  if (args.includes('--help') || args.includes('-h')) {
    output.write(USAGE);
    return 0;
  }
  const fail = (failed: string): 1 => {
    output.write(`oddswire: ${failed}\n`);
    return 1;
  };
  const call = readCall(args, environment);
  if ('failed' in call) return fail(call.failed);
  const token = await publisherToken(environment);
  if ('failed' in token) return fail(token.failed);
  const source = await feedSource(call.file, calledFrom(environment), input);
  if ('failed' in source) return fail(source.failed);

  const progress = progressOn(output, source.bytes, parts.now);
  const post = retryingPost(internalPost({ ...call, token }), { pause: parts.pause, say: progress.say });
  return tell(call, parts.now, progress, () => importFeed({ chunks: source.chunks, post, progress }));
}

async function tell(
  call: Call,
  now: () => number,
  progress: Progress,
  run: () => Promise<ImportOutcome>,
): Promise<0 | 1> {
  const startedAt = now();
  const outcome = await run().finally(() => progress.close());
  if (outcome.failed === undefined && outcome.published + outcome.rejected === 0) {
    progress.say(`${call.file === '-' ? 'what is piped in' : call.file} is empty: it has no line to publish`);
    return 0;
  }
  if (outcome.failed === undefined) {
    progress.say(`${counts(outcome)} in ${((now() - startedAt) / 1_000).toFixed(1)} s`);
    return outcome.rejected === 0 ? 0 : 1;
  }
  progress.say(`oddswire: ${outcome.failed}`);
  const { goOnFrom } = outcome;
  progress.say(
    goOnFrom === undefined ? 'Nothing was published.' : `${counts(outcome)}; ${wayOn(call, goOnFrom)}`,
  );
  return 1;
}

/** npm runs scripts in the project's folder, wherever the person who calls it is. */
const calledFrom = ({ INIT_CWD, npm_lifecycle_event }: CommandParts['environment']): string =>
  npm_lifecycle_event === 'import' && INIT_CWD ? INIT_CWD : '.';

function wayOn({ file, mode }: Call, line: number): string {
  if (file === '-') return `go on from line ${line}.`;
  const quoted = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  return `go on from line ${line}: tail -n +${line} ${quoted} | npm run import -- - --mode ${mode}`;
}

function readCall(
  args: readonly string[],
  environment: CommandParts['environment'],
): Call | { readonly failed: string } {
  const { INTERNAL_URL, INTERNAL_PORT } = environment;
  const url = (INTERNAL_URL || `http://127.0.0.1:${INTERNAL_PORT || 8081}`).replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:\/\/[^/?#@]+$/.test(url)) {
    return { failed: 'INTERNAL_URL must be like http://127.0.0.1:8081, without a path' };
  }
  const read = readArgs(args);
  if (typeof read === 'string') return { failed: `${read}\n${USAGE}` };
  return { ...read, url };
}

function readArgs(args: readonly string[]): { readonly file: string; readonly mode: PublishMode } | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { mode: { type: 'string', default: 'live' } },
    });
    const mode = PUBLISH_MODES.find((known) => known === values.mode);
    if (mode === undefined) return `--mode must be one of ${PUBLISH_MODES.join(', ')}`;
    const [file, ...others] = positionals;
    return file === undefined || others.length > 0
      ? 'name one file, or - for what is piped in'
      : { file, mode };
  } catch (fault) {
    if (fault instanceof TypeError && 'code' in fault) return fault.message;
    throw fault;
  }
}
