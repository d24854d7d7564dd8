import { KEY_LOOK_UP, kindOf, OTHER, STATEMENT_KINDS } from './statement-kinds.mjs';

const KIND_WIDTH = 30;
const SHOWN_OTHERS = 5;
const SHOWN_CHARACTERS = 110;
/** The slow safety check that would read each copy again once in this time. */
const CHECK_SECONDS = 900;

/** Prints the calls of each kind of statement, related to the work that causes them. */
export function printStatements(statements, work) {
  const kinds = new Map();
  for (const { query, calls, rows, millis } of statements) {
    const kind = kindOf(query);
    const sum = kinds.get(kind) ?? { calls: 0, rows: 0, millis: 0, queries: [] };
    sum.queries.push({ query, calls });
    kinds.set(kind, { ...sum, calls: sum.calls + calls, rows: sum.rows + rows, millis: sum.millis + millis });
  }
  const unitOf = new Map(STATEMENT_KINDS.map(({ kind, cause }) => [kind, cause]));
  console.log(
    `\n${'Postgres'.padEnd(KIND_WIDTH)} calls/s   rows/s  time in Postgres  calls related to their cause`,
  );
  for (const [kind, { calls, rows, millis }] of [...kinds].sort(([, a], [, b]) => b.calls - a.calls)) {
    printRow(kind, [calls, rows], millis, work, relatedTo(calls, unitOf.get(kind) ?? null, work));
  }
  const all = [...kinds.values()].reduce(
    (sum, { calls, rows, millis }) => [sum[0] + calls, sum[1] + rows, sum[2] + millis],
    [0, 0, 0],
  );
  printRow('all', all.slice(0, 2), all[2], work, '');
  printOthers(kinds.get(OTHER));
  return kinds.get(KEY_LOOK_UP)?.rows ?? 0;
}

function printOthers(others) {
  for (const { query, calls } of others?.queries.slice(0, SHOWN_OTHERS) ?? []) {
    console.log(`  other: ${calls} × ${query.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS)}`);
  }
}

/** Prints the calls of each Redis command. */
export function printCommands(commands, work) {
  console.log(
    `\n${'Redis'.padEnd(KIND_WIDTH)} calls/s           time in Redis     calls related to requests`,
  );
  for (const { command, calls, millis } of commands) {
    printRow(command, [calls, null], millis, work, relatedTo(calls, 'request', work));
  }
}

/** Prints how many keys were read although they had not changed. Each change makes an instance read the key once. */
export function printKeyReads(rows, { requests, revocations, seconds, instances, keys }) {
  const byChanges = Math.min(rows, revocations * instances);
  const unchanged = rows - byChanges;
  console.log('\nKeys read in Postgres');
  console.log(
    `  ${fixed(rows / seconds)} a second, at most ${fixed(byChanges / seconds)} of them after a revocation`,
  );
  console.log(
    `  ${fixed(unchanged / seconds)} a second are reads of unchanged keys: ${(unchanged / requests).toFixed(3)} for each request`,
  );
  console.log(
    `  for comparison: a check of each copy every 15 minutes is ${fixed((instances * keys) / CHECK_SECONDS)} a second`,
  );
}

export function printTimes(what, millis) {
  if (millis.length === 0) return;
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(0);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${sorted.length} measured)`);
}

function printRow(name, counts, millis, { seconds }, related) {
  const rates = counts.map((count) => (count === null ? '' : fixed(count / seconds)).padStart(8));
  const share = `${((millis / seconds / 1_000) * 100).toFixed(1)} % of a core`.padStart(17);
  console.log(`${name.padEnd(KIND_WIDTH)}${rates.join(' ')} ${share}  ${related}`.trimEnd());
}

function relatedTo(calls, cause, { requests, publications, revocations, seconds, instances }) {
  const units = {
    request: [requests, 'for each request'],
    publication: [publications, 'for each publication'],
    revocation: [revocations, 'for each revocation'],
    second: [seconds * instances, 'for each instance and second'],
  };
  const [count, name] = units[cause] ?? [0, ''];
  return count === 0 ? '' : `${(calls / count).toFixed(2)} ${name}`;
}

const fixed = (rate) =>
  rate >= 100 ? Math.round(rate).toLocaleString('en').replaceAll(',', ' ') : rate.toFixed(1);
