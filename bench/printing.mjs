import { judge } from './verdict.mjs';

const NAME_WIDTH = 42;
const ABSENT = '–';

/** Prints one case of the comparison with the limit and the conventional stack, one line for each contestant. */
export function printPeers(row, contestants, results) {
  console.log(`\n${row.name}`);
  for (const [n, { name }] of contestants.entries()) {
    const result = results[n];
    if (result === null) {
      console.log(`  ${name.padEnd(28)} ${ABSENT}: sends no ETag`);
      continue;
    }
    const { rate, p50, p99, cpu, memory } = result;
    console.log(
      `  ${name.padEnd(28)} ${String(Math.round(rate)).padStart(7)} req/s  ` +
        `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ` +
        `${cpu.toFixed(2)} CPU s per 1 000 requests  peak ${Math.round(memory)} MB`,
    );
  }
  const [limit, service, conventional, cached] = results.map((result) => result?.rate ?? null);
  const times = (rate) => (rate === null ? ABSENT : (service / rate).toFixed(1));
  console.log(
    `  Oddswire: ${(service / limit).toFixed(2)} of the limit; ${times(conventional)} × conventional; ` +
      `${times(cached)} × conventional with page cache`,
  );
}

const COLUMNS = ['A', 'B', 'A′', 'B/A', 'spread', 'CPU B/A'];

/** Prints the legend and the header line of the table. */
export function printCommitsHead({ commit, tree, starts, rounds, seconds, connections }) {
  console.log(`\nA, A′  ${commit}`);
  console.log(`B      ${tree}`);
  console.log(
    `Requests per second, medians of ${starts} starts with ${rounds} rounds of ${seconds} s, ${connections} connections.`,
  );
  console.log('CPU B/A compares the CPU time of one request. Other load on the machine affects it less.\n');
  console.log(`${''.padEnd(NAME_WIDTH)}${columns(COLUMNS)}  verdict              B of the limit`);
}

/** Prints one case of the comparison of commits. */
export function printCommitsRow(row, [a, b, again, limit]) {
  const { ratio, spread, verdict } = judge(a.rate, b.rate, again.rate);
  const rates = [a, b, again].map(({ rate }) => Math.round(rate).toLocaleString('en').replaceAll(',', ' '));
  const cpu = (b.cpu / a.cpu).toFixed(3);
  const figures = columns([...rates, ratio.toFixed(3), `${(spread * 100).toFixed(1)} %`, cpu]);
  console.log(
    `${row.name.padEnd(NAME_WIDTH)}${figures}  ${verdict.padEnd(20)} ${(b.rate / limit.rate).toFixed(2)}`,
  );
}

const columns = (texts) => texts.map((text) => text.padStart(8)).join(' ');
