import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Loaded before the service: every `Date` of the process is ahead by the seconds in a file, which it reads every 20 ms. */
const AHEAD = `
import { readFileSync } from 'node:fs';
const real = Date.now.bind(Date);
let aheadMs = 0;
const read = () => {
  const seconds = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
  if (Number.isFinite(seconds)) aheadMs = seconds * 1000;
};
read();
setInterval(read, 20).unref();
Date.now = () => real() + aheadMs;
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(Date.now());
    else super(...given);
  }
};
`;

/** The clock of the machine of one instance, which a test sets ahead or behind. */
export type SetClock = {
  /** For the environment of the instance. */
  readonly settings: Readonly<Record<string, string>>;
  readonly ahead: (seconds: number) => void;
  readonly remove: () => void;
};

export function setClock(seconds = 0): SetClock {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-clock-'));
  const file = join(folder, 'seconds');
  const ahead = (to: number) => writeFileSync(file, String(to));
  ahead(seconds);
  const preloaded = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`;
  return {
    settings: { CLOCK_FILE: file, NODE_OPTIONS: preloaded },
    ahead,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
