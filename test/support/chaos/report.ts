import type { RunRecord } from './record.js';
import type { ChaosResult } from './run.js';
import type { Fault } from './schedule.js';

/** The result for a person: first what broke and the faults around it, then what was done. */
export function reportOf({ seed, durationMs, schedule, record }: ChaosResult): string {
  const { violations } = record;
  const command = `npm run chaos -- --seed ${seed} --minutes ${durationMs / 60_000}`;
  const kinds = new Set(schedule.map(({ fault }) => fault.kind)).size;
  const verdict =
    violations.length === 0
      ? `seed ${seed}: no invariant broke in ${record.faults.length} faults of ${kinds} kinds`
      : `seed ${seed}: ${violations.length} violations. Run again: ${command}`;
  return [
    ...(violations.length === 0 ? [] : ['faults as they happened:', ...faultLines(record), '']),
    ...violations.map(({ at, invariant, evidence }) => `BROKEN at ${ms(at)}: ${invariant}\n    ${evidence}`),
    ...record.counts().map(([what, n]) => `  ${String(n).padStart(8)}  ${what}`),
    verdict,
  ].join('\n');
}

const faultLines = ({ faults }: RunRecord): readonly string[] =>
  faults.map(
    ({ fault, beganAt, endedAt }) =>
      `  ${ms(beganAt)} to ${endedAt === null ? 'the end' : ms(endedAt)}: ${describe(fault)}`,
  );

const ms = (at: number): string => `${(at / 1_000).toFixed(3)} s`;

function describe({ kind, ...of }: Fault): string {
  const details = Object.entries(of).map(([name, value]) => `${name} ${value}`);
  return [kind, ...details].join(', ');
}
