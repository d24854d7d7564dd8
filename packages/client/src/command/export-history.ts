import { pipeline } from 'node:stream/promises';
import type { OddswireError } from '../errors.js';
import { Oddswire } from '../oddswire.js';
import { isTransient } from '../retry.js';
import { type ExportFile, openExportFile } from './export-file.js';
import { otherFilters } from './export-filters.js';
import { ExportLines } from './export-lines.js';
import { type ExportCall, readExportCall } from './export-options.js';
import { grouped, type Progress, progressOn, sizeText } from './export-progress.js';
import { historyBeginText } from './history-begin.js';
import type { Output } from './output.js';
import { printable } from './printable.js';

const usageOf = (command: string) => `Usage: ${command} --out FILE [options]

Writes the history of the feed to a file: one change in each line, as JSON (GET /pm/v2/history). If the file has changes
already, the export continues after the last complete line. Repeat the same command after a crash, or to get what came later.
FILE.filters.json keeps the filters, so that other ones do not continue the file.

  --out FILE        the file
  --url URL         address of the service (default: ODDSWIRE_URL, or http://localhost:8080)
  --since TIME      the changes that became known at this time or later
  --after POSITION  the changes after this position
  --until TIME      up to this time or position, included (default: now)
  --news-id ID      the changes of one item
  --market-id ID    the items with this sub-market; can be repeated
  --market REF      the items about the market that this id or URL names; can be repeated
  --category, --source, --source-tier, --source-type, --author, --relevance, --effect, --outcome, --momentum, --venue, --q
                    filters by content, as in the API

  ODDSWIRE_KEY  API key
  ODDSWIRE_URL  address of the service, if --url is absent

When the quota is used up or the service restarts, the export waits and continues. It uses one request of the quota for every
500 changes. The exit code is 0 if the file has the whole range; 1 if the export ended early, and the same command continues it;
2 if it cannot continue like this: a wrong option, key or position, or a file that is not of an export.
`;

export type CommandParts = {
  /** How the caller starts this command. */
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
  readonly random: () => number;
  /** Waits, and rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Stops the export after a complete line. */
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
};

type ExitCode = 0 | 1 | 2;

/** With a filter that passes few changes, the service sends one line in 500 changes that it reads. */
const SILENCE_MAX_MS = 120_000;

/** `oddswire export`. */
export async function exportHistory(parts: CommandParts): Promise<ExitCode> {
  const { args, environment, output } = parts;
  if (args.includes('--help') || args.includes('-h')) {
    output.write(usageOf(parts.command));
    return 0;
  }
  const fail = (failed: string): 2 => {
    output.write(`oddswire: ${printable(failed)}\n`);
    return 2;
  };
  const call = readExportCall(args, environment);
  if ('failed' in call) return fail(`${call.failed} (${parts.command} --help)`);
  const file = await openFor(call).catch((fault: unknown) => ({ failed: reasonOf(fault) }));
  return 'failed' in file ? fail(`cannot use ${call.file}: ${file.failed}`) : writeAll(parts, call, file);
}

async function openFor({ file: path, query }: ExportCall): Promise<ExportFile | { readonly failed: string }> {
  const file = await openExportFile(path);
  if ('failed' in file) return file;
  const failed = await otherFilters(path, file.position === null, query);
  if (failed === null) return file;
  await file.handle.close();
  return { failed };
}

async function writeAll(parts: CommandParts, call: ExportCall, file: ExportFile): Promise<ExitCode> {
  const { url, key, query } = call;
  const client = new Oddswire({
    url,
    key,
    retries: 0,
    timeoutMs: SILENCE_MAX_MS,
    ...(parts.fetch && { fetch: parts.fetch }),
  });
  // Written by its place: a second export of the same range into the same file writes the same bytes.
  const target = file.handle.createWriteStream({ start: file.bytes });
  const written = () => file.bytes + target.bytesWritten;
  const progress = progressOn(parts.output, written);
  const lines = new ExportLines({
    history: (options) => client.history(options),
    query: { ...query, after: file.position ?? query.after },
    progress,
    random: parts.random,
    pause: parts.pause,
    signal: parts.signal,
  });
  try {
    await pipeline(lines, target);
  } catch (fault) {
    progress.close();
    progress.print(printable(`oddswire: cannot write ${call.file}: ${reasonOf(fault)}. ${CONTINUE}`));
    return 1;
  }
  progress.close();
  return report(
    lines,
    progress,
    `${grouped(lines.changes)} ${lines.changes === 1 ? 'change' : 'changes'} written to ${call.file}`,
    written(),
  );
}

const CONTINUE = 'The same command continues.';

function report(lines: ExportLines, progress: Progress, what: string, bytes: number): ExitCode {
  const { outcome, position } = lines;
  const state = `${what} (${sizeText(bytes)}), up to ${position ?? 'no position'}`;
  const print = (text: string) => progress.print(printable(text));
  if ('ended' in outcome) {
    print(
      outcome.ended === 'complete' ? `${state}. The range is complete.` : `${state}. Stopped. ${CONTINUE}`,
    );
    return outcome.ended === 'complete' ? 0 : 1;
  }
  const { failed } = outcome;
  print(`oddswire: ${failed.message}`);
  const isTemporary = isTransient(failed);
  print(`${state}. ${isTemporary ? CONTINUE : adviceOf(failed)}`);
  return isTemporary ? 1 : 2;
}

/** What to do about a refusal that repeating does not change. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    'position_expired',
    'The service does not have the last change of the file: its database has returned to an older state. Export to a new file.',
  ],
]);

const adviceOf = (failed: OddswireError): string =>
  failed.code === 'before_history'
    ? historyBeginText(failed)
    : (ADVICE.get(failed.code) ?? 'The service will refuse the same command again.');

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'its folder does not exist'],
  ['ENOSPC', 'the disk is full'],
]);

function reasonOf(fault: unknown): string {
  const { code = String(fault) } = fault as { readonly code?: string };
  return REASONS.get(code) ?? code;
}
