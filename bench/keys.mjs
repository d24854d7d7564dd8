// What many keys cost: the rate of one key and that of 2 000 keys in turn, of one process with Postgres and Redis.
//   npm run bench:keys
// Short rounds of both alternate, because the machine can be faster or slower a minute later.
import { CASES, KEYS_MAX } from './cases.mjs';
import { startOddswire } from './contestants.mjs';
import { measure, median } from './measuring.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { sampleItems } from './sample-items.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';

/** Each process of the service has its own database of a Redis that has 16. */
const STARTS_MAX = 15;
const MANY = CASES.find(({ keys }) => keys === KEYS_MAX);
const ONE = { ...MANY, keys: 1 };

await runBench(async () => {
  const starts = setting('STARTS', 3);
  if (starts > STARTS_MAX)
    throw new BenchFailure(`STARTS must be at most ${STARTS_MAX}, but it is ${starts}`);
  const rounds = setting('ROUNDS', 10);
  const seconds = setting('SECONDS', 1);
  const stores = await startStores();
  const feed = sampleItems();
  console.log(
    `${starts} starts, ${rounds} rounds of ${seconds} s with 1 key and ${rounds} with ${KEYS_MAX} keys.`,
  );
  for (let start = 1; start <= starts; start += 1) {
    const service = await startOddswire({ name: `start ${start}`, stores: await stores.next(), feed });
    const results = [];
    for (let round = 0; round < rounds; round += 1) results.push(await measureRound(service, seconds));
    print(results);
    await service.stop();
  }
});

async function measureRound(service, seconds) {
  const timing = { rounds: 1, seconds };
  const [one] = await measure(ONE, [service], timing);
  const [many] = await measure(MANY, [service], timing);
  return { one, many };
}

function print(results) {
  const medianOf = (figure) => median(results.map(figure));
  const ratios = results.map(({ one, many }) => many.rate / one.rate).toSorted((a, b) => a - b);
  const [least, most] = [ratios.at(0), ratios.at(-1)].map((ratio) => ratio.toFixed(2));
  console.log(
    `  1 key ${Math.round(medianOf(({ one }) => one.rate))} requests/s, ` +
      `${KEYS_MAX} keys ${Math.round(medianOf(({ many }) => many.rate))}: ` +
      `× ${median(ratios).toFixed(2)} (${least} to ${most}); ` +
      `CPU time a request × ${medianOf(({ one, many }) => many.cpu / one.cpu).toFixed(2)}`,
  );
}
