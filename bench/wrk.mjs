import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export const isWrkInstalled = () => spawnSync('wrk', ['--version']).error === undefined;

const MILLIS = { us: 0.001, ms: 1, s: 1_000 };

/** Repeats one request over concurrent connections for `seconds`, with wrk. Returns the same figures as `load.mjs`. */
export async function loadByWrk({ url, requests: [{ path, headers }], connections, seconds }) {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const wrk = spawn('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...fields,
    `${url}${path}`,
  ]);
  const [output] = await Promise.all([text(wrk.stdout), once(wrk, 'close')]);
  if (/Non-2xx/.test(output)) throw new Error(`wrk reports responses other than 2xx: ${output}`);
  const at = (share) => {
    const [, figure, unit] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(output);
    return Number(figure) * MILLIS[unit];
  };
  return {
    requests: Number(/(\d+) requests in/.exec(output)[1]),
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)[1]),
    p50: at(50),
    p99: at(99),
  };
}
