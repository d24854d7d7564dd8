// A reader process of `npm run bench:live`: opens streams, and counts the frames of items on each. It obeys the messages of
// `live-readers.mjs`, one at a time, and answers each.
import { connect } from 'node:net';
import { FrameReader, pongTo, streamRequest } from './live-frames.mjs';

/** The most connections that are being opened at a time. */
const OPENING_MAX = 50;
const RECEIVED_BYTES = 64 * 1_024;
/** All sockets read into the same bytes, because each reads them at once. */
const received = Buffer.alloc(RECEIVED_BYTES);

const streams = new Set();
/** For each item: the number of streams that got it, and when the last of them did. */
let reached = [];
let lastAt = [];
let expected = null;
/** Whether the service has closed a stream: the items cannot reach all of them any more. */
let isIncomplete = false;

const COMMANDS = { open, reset, until, keep };

process.on('message', async ({ command, ...details }) => {
  try {
    process.send({ answer: await COMMANDS[command](details) });
  } catch (fault) {
    process.send({ fault: fault.message });
  }
});
process.on('disconnect', () => process.exit());

/** Milliseconds of the clock of the machine, which is the same in all processes. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Opens `count` streams; resolves when each has got its first message. */
async function open({ count, ...target }) {
  let left = count;
  const opener = async () => {
    while (left > 0) {
      left -= 1;
      await openStream(target);
    }
  };
  await Promise.all(Array.from({ length: Math.min(OPENING_MAX, count) }, opener));
}

function openStream({ url, form, key }) {
  return new Promise((done, fail) => {
    const { port, hostname: host } = new URL(url);
    const frames = new FrameReader(form);
    const stream = { items: 0, socket: null, isClosing: false };
    const callback = (length, bytes) => {
      try {
        frames.read(bytes.subarray(0, length), (type, ...frame) => noteFrame(stream, type, frame, done));
      } catch (fault) {
        fail(fault);
      }
      return true;
    };
    stream.socket = connect({ port: Number(port), host, onread: { buffer: received, callback } });
    streams.add(stream);
    stream.socket
      .on('error', fail)
      .on('close', () => {
        streams.delete(stream);
        if (stream.isClosing) return;
        fail(new Error('a stream was closed before its first message'));
        isIncomplete = true;
        expected?.fail(new Error('a stream was closed'));
      })
      .write(streamRequest(form, url, key));
  });
}

function noteFrame(stream, type, frame, opened) {
  if (type === 'item') noteItem(stream);
  else if (type === 'ping') stream.socket.write(pongTo(...frame));
  else if (type === 'ready') opened();
  else if (type === 'closing' || type === 'close') stream.socket.destroy();
}

function noteItem(stream) {
  const n = stream.items;
  stream.items += 1;
  reached[n] = (reached[n] ?? 0) + 1;
  if (reached[n] < streams.size) return;
  lastAt[n] = now();
  if (n + 1 === expected?.items) expected.done();
}

/** Counts from zero again. */
async function reset() {
  reached = [];
  lastAt = [];
  for (const stream of streams) stream.items = 0;
}

/** Resolves when each stream has got `items`: the times when the last stream got each. */
async function until({ items }) {
  if (isIncomplete) throw new Error('a stream was closed');
  if (lastAt[items - 1] === undefined)
    await new Promise((done, fail) => {
      expected = { items, done, fail };
    });
  expected = null;
  return lastAt.slice(0, items);
}

/** Closes the streams beyond `count`. */
async function keep({ count }) {
  const closing = [...streams].slice(count);
  await Promise.all(
    closing.map(
      (stream) =>
        new Promise((done) => {
          stream.isClosing = true;
          stream.socket.once('close', done).destroy();
        }),
    ),
  );
}
