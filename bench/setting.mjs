import { BenchFailure } from './run-bench.mjs';

/** A positive number from the environment. */
export function setting(name, otherwise) {
  const value = Number(process.env[name] || otherwise);
  if (value > 0) return value;
  throw new BenchFailure(`${name} must be a number above 0, but it is "${process.env[name]}"`);
}
