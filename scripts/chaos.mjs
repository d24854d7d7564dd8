// Runs the service under random faults, and checks what its clients got.
//   npm run chaos -- --minutes 10 --seed 7
// Without a seed it takes a new one and prints it. The same seed and minutes give the same faults. It starts its own Postgres
// and Redis in a temporary folder, and ends with 1 if an invariant broke. CONTRIBUTING.md (*Chaos*) says how to read the output.
import { parseArgs } from 'node:util';
import { reportOf } from '../dist/test/support/chaos/report.js';
import { runChaos } from '../dist/test/support/chaos/run.js';

const SEED_END = 1_000_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * SEED_END)) },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('usage: npm run chaos -- [--minutes 10] [--seed 7]');
  process.exit(2);
}
console.log(`chaos: seed ${seed}, ${minutes} minutes`);
const result = await runChaos(seed, minutes * 60_000);
console.log(reportOf(result));
process.exit(result.record.violations.length === 0 ? 0 : 1);
