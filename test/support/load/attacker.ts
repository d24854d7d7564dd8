import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { positionToken } from '../../../src/domain/feed/position.js';

const CONNECTIONS = 64;
/** An open stream is left after this time, so that its connection can ask again. */
const STREAM_MS = 300;

/** What the attacker knows of the feed. */
export type Known = {
  readonly url: string;
  /** Keys of one subscription. */
  readonly keys: readonly string[];
  /** Times of old items, as cursors. */
  readonly times: readonly string[];
  /** Positions of old changes. */
  readonly positions: readonly string[];
  /** The number of the newest change. */
  readonly newest: number;
};

type Wanted = { readonly path: string; readonly headers: Readonly<Record<string, string>> };
type Attack = (known: Known, n: number) => Wanted;

const at = <Each>(list: readonly Each[], n: number): Each => {
  const found = list[n % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
};
const JSON_BATCH = { Accept: 'application/json' } as const;
const EVENTS = { Accept: 'text/event-stream' } as const;
const oldPage = ({ times }: Known, n: number) => `/pm/v2/news?limit=500&cursor=${at(times, n)}`;

/** Requests that cost the service much more work than most do. */
const ALONE = {
  'computed tags': (known, n) => ({
    path: n % 2 === 0 ? '/pm/v2/news?limit=500' : oldPage(known, n),
    headers: { 'If-None-Match': '*' },
  }),
  'invented positions': ({ newest }, n) => ({
    path: `/pm/v2/stream?after=${positionToken({ n: 1 + ((n * 97) % newest), mark: randomBytes(8).toString('hex') })}`,
    headers: EVENTS,
  }),
  'batches that walk': ({ positions }, n) => ({
    path: `/pm/v2/stream?after=${at(positions, n)}&q=zzzz&wait=5`,
    headers: JSON_BATCH,
  }),
  'filtered replays': ({ times }, n) => ({
    path: `/pm/v2/stream?since=${times.at(-1)}&q=zz${n % 50}&limit=500`,
    headers: n % 8 === 0 ? EVENTS : JSON_BATCH,
  }),
  'unread words': ({ positions }, n) => ({
    path: `/pm/v2/stream?after=${positions[0]}&q=yy${n % 50}`,
    headers: EVENTS,
  }),
  'old pages': (known, n) => ({ path: oldPage(known, n), headers: {} }),
} satisfies Readonly<Record<string, Attack>>;

const allAtOnce: Attack = (known, n) => at(Object.values(ALONE), n)(known, Math.floor(n / 6));

const ATTACKS: Readonly<Record<string, Attack>> = {
  ...ALONE,
  'many keys': ALONE['old pages'],
  'all at once': allAtOnce,
};
export const ATTACK_NAMES = Object.keys(ATTACKS);

type Order = { readonly attack: string; readonly known: Known; readonly ms: number };

export type Attacker = {
  /** Attacks over 64 connections for some time. Returns the number of answers by status. */
  readonly run: (order: Order) => Promise<Readonly<Record<string, number>>>;
  readonly stop: () => void;
};

/** A client with one subscription that wants to slow the others down, in a process of its own. */
export async function startAttacker(): Promise<Attacker> {
  const child = fork(fileURLToPath(import.meta.url));
  await once(child, 'message');
  return {
    run: async (order) => {
      child.send(order);
      const [statuses] = await once(child, 'message');
      return statuses;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

async function run({ attack, known, ms }: Order): Promise<Readonly<Record<string, number>>> {
  const wanted = ATTACKS[attack];
  if (wanted === undefined) throw new Error(`no attack “${attack}”`);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<string, number> = {};
  const until = performance.now() + ms;
  let n = 0;
  const connection = async () => {
    while (performance.now() < until) {
      n += 1;
      const { path, headers } = wanted(known, n);
      const options = { headers: { ...headers, 'X-API-Key': at(known.keys, n) }, agent };
      const status = await statusOf(`${known.url}${path}`, options, until);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return statuses;
}

/** `unanswered`: the attack ended before the response. */
const statusOf = (url: string, options: object, until: number): Promise<string> =>
  new Promise((done) => {
    const sending = request(url, options, (answer) => {
      done(String(answer.statusCode));
      answer.on('error', () => {});
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        answer.resume();
        setTimeout(() => sending.destroy(), STREAM_MS);
      } else answer.resume();
    });
    const timer = setTimeout(() => sending.destroy(), Math.max(0, until - performance.now()));
    sending.once('close', () => clearTimeout(timer));
    sending.once('error', () => done('unanswered'));
    sending.end();
  });

/** The child process: only there `process.send` exists. */
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('disconnect', () => process.exit());
  process.on('message', async (order: Order) => process.send?.(await run(order)));
  process.send('ready');
}
