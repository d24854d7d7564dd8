import { spawn, spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import * as undici from 'undici';
import WebSocket from 'ws';

/** A message of the stream as a client has parsed it (D49). */
export type StreamMessage = {
  readonly type: string;
  readonly position: string;
  readonly item?: { readonly news_event: { readonly id: string } };
  readonly id?: string;
};

export type Target = { readonly url: URL; readonly key: string };

type Take = (message: StreamMessage) => void;

/** Opens a stream, and opens it again after the last position when it ends. Returns a function that closes it. */
type Follow = (target: Target, take: Take) => () => void;

export type StreamClient = {
  readonly follow: Follow;
  /** The compression that it asks for. */
  readonly compression: 'gzip' | 'permessage-deflate' | 'none';
};

const MESSAGE_TYPES = ['ready', 'item', 'retraction', 'live', 'heartbeat', 'subscribed', 'closing'];
const RECONNECT_MS = 50;

const withKey = ({ url, key }: Target): URL => {
  const keyed = new URL(url);
  keyed.searchParams.set('api_key', key);
  return keyed;
};

type EventSourceLike = {
  addEventListener(type: string, listener: (event: { data: string; lastEventId: string }) => void): void;
  close(): void;
};

/** An `EventSource` resumes by itself. Its events must have the type and the position of their message. */
function takeEvents(source: EventSourceLike, take: Take): () => void {
  for (const type of MESSAGE_TYPES) {
    source.addEventListener(type, ({ data, lastEventId }) => {
      const message = JSON.parse(data) as StreamMessage;
      if (message.type !== type || message.position !== lastEventId)
        throw new Error(`event ${type} ${lastEventId}: ${data}`);
      take(message);
    });
  }
  return () => source.close();
}

/** Reads one connection to its end. */
type Read = (target: Target, take: Take, signal: AbortSignal) => Promise<void>;

/** Reads connections one after the other, each after the position of the last message. */
const resuming =
  (read: Read): Follow =>
  ({ url, key }, take) => {
    const closing = new AbortController();
    const next = new URL(url);
    const takeNext: Take = (message) => {
      next.searchParams.set('after', message.position);
      take(message);
    };
    const run = async () => {
      while (!closing.signal.aborted) {
        await read({ url: next, key }, takeNext, closing.signal).catch(() => {});
        await setTimeout(RECONNECT_MS);
      }
    };
    void run();
    return () => closing.abort();
  };

/** Takes the messages of complete lines. Returns a function for the next part of the text. */
function linesInto(take: Take): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as StreamMessage);
  };
}

const readFetch: Read = async ({ url, key }, take, signal) => {
  const response = await fetch(url, { headers: { 'X-API-Key': key }, signal });
  const lines = linesInto(take);
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) lines(decoder.decode(bytes, { stream: true }));
};

const readCommand =
  (command: string, parametersOf: (target: Target) => readonly string[]): Read =>
  (target, take, signal) =>
    new Promise((done) => {
      const child = spawn(command, parametersOf(target), { stdio: ['ignore', 'pipe', 'ignore'], signal });
      child.stdout.setEncoding('utf8').on('data', linesInto(take));
      child.on('error', () => {}).once('close', () => done());
    });

const curl = (...options: readonly string[]): Read =>
  readCommand('curl', ({ url, key }) => ['-sN', ...options, '-H', `X-API-Key: ${key}`, url.href]);

const PYTHON = `import sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"X-API-Key": sys.argv[2]})
for line in urllib.request.urlopen(request):
    sys.stdout.buffer.write(line)
    sys.stdout.flush()`;

type WebSocketLike = {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close' | 'error', listener: () => void): void;
  close(): void;
};

const readWebSocket =
  (open: (target: Target) => WebSocketLike): Read =>
  (target, take, signal) =>
    new Promise((done) => {
      const socket = open(target);
      socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as StreamMessage));
      socket.addEventListener('error', () => {});
      socket.addEventListener('close', done);
      signal.addEventListener('abort', () => socket.close());
    });

const webSocketUrl = (url: URL): URL => new URL(url.href.replace(/^http/, 'ws'));

const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** The clients of this machine. */
export const streamClients = (): Readonly<Record<string, StreamClient>> => ({
  'fetch of Node': { follow: resuming(readFetch), compression: 'gzip' },
  'the package eventsource': {
    follow: ({ url, key }, take) => {
      const withHeader = (input: string | URL, init: { readonly headers: Record<string, string> }) =>
        fetch(input, { ...init, headers: { ...init.headers, 'X-API-Key': key } });
      return takeEvents(new EventSource(url, { fetch: withHeader }), take);
    },
    compression: 'gzip',
  },
  'EventSource of undici': {
    follow: (target, take) => takeEvents(new undici.EventSource(withKey(target).href), take),
    compression: 'gzip',
  },
  'the package ws': {
    follow: resuming(
      readWebSocket(
        ({ url, key }) =>
          new WebSocket(webSocketUrl(url), { headers: { 'X-API-Key': key } }) as unknown as WebSocketLike,
      ),
    ),
    compression: 'permessage-deflate',
  },
  'WebSocket of undici': {
    follow: resuming(
      readWebSocket(
        (target) => new undici.WebSocket(webSocketUrl(withKey(target))) as unknown as WebSocketLike,
      ),
    ),
    compression: 'permessage-deflate',
  },
  ...(isInstalled('curl') && {
    'curl --compressed': { follow: resuming(curl('--compressed')), compression: 'gzip' },
    curl: { follow: resuming(curl()), compression: 'none' },
  }),
  ...(isInstalled('python3') && {
    'Python 3': {
      follow: resuming(readCommand('python3', ({ url, key }) => ['-c', PYTHON, url.href, key])),
      compression: 'none',
    },
  }),
});
