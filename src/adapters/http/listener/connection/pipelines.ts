import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeResponse } from '../../../fast-paths/takeover.js';
import { responseInProgress } from '../parser-errors.js';

/** The most requests of one connection that are handled while an earlier response is in progress. */
const HANDLED_MAX = 16;
/**
 * The most requests of one connection that wait until they are handled. The parser reads a whole packet at once, and one
 * packet can contain two thousand requests. Each of them holds memory until its response is read.
 */
const WAITING_MAX = 256;

type Waiting = { readonly response: ServerResponse; readonly begin: () => void };

/** The pipelined requests of one connection. */
type Pipeline = {
  /** Those that are handled, behind the response in progress. */
  readonly handled: Set<ServerResponse>;
  /** Those that were read after them, in order. */
  readonly waiting: Waiting[];
};

const pipelines = new WeakMap<Socket, Pipeline>();

/**
 * Begins a request at once if few requests of its connection are in progress. Nearly all clients send one at a time. Beyond
 * the limit a request waits for earlier responses, and nothing more is read meanwhile. A connection with too many waiting
 * requests is closed.
 */
export function beginInOrder(socket: Socket, response: ServerResponse, begin: () => void): void {
  if (responseInProgress(socket) === response) begin();
  else join(pipelines.get(socket) ?? newPipeline(socket), socket, { response, begin });
}

function join(pipeline: Pipeline, socket: Socket, request: Waiting): void {
  const { handled, waiting } = pipeline;
  if (handled.size < HANDLED_MAX && waiting.length === 0) handle(pipeline, socket, request);
  else if (waiting.length >= WAITING_MAX || followsLastResponse(socket, request.response)) socket.destroy();
  else {
    waiting.push(request);
    socket.pause();
  }
}

function handle(pipeline: Pipeline, socket: Socket, { response, begin }: Waiting): void {
  pipeline.handled.add(response);
  response.once('close', () => {
    pipeline.handled.delete(response);
    handleNext(pipeline, socket);
  });
  if (!followsLastResponse(socket, response)) begin();
}

function handleNext(pipeline: Pipeline, socket: Socket): void {
  if (socket.destroyed) return;
  const next = pipeline.waiting.shift();
  if (next === undefined) return;
  handle(pipeline, socket, next);
  if (pipeline.waiting.length === 0) socket.resume();
}

/**
 * Whether the response in progress has announced that it is the last one on its connection. Later requests are not
 * handled (RFC 9112, 9.6).
 */
function followsLastResponse(socket: Socket, response: ServerResponse): boolean {
  const inProgress = responseInProgress(socket);
  return inProgress !== response && inProgress?.headersSent === true && !inProgress.shouldKeepAlive;
}

function newPipeline(socket: Socket): Pipeline {
  const pipeline: Pipeline = { handled: new Set(), waiting: [] };
  pipelines.set(socket, pipeline);
  // Node reads on after each response.
  socket.on('resume', () => {
    if (pipeline.waiting.length > 0) socket.pause();
  });
  // When the connection closes, Node notifies only the response that it is writing.
  socket.once('close', () => {
    const responses = [...pipeline.handled, ...pipeline.waiting.map(({ response }) => response)];
    pipeline.waiting.length = 0;
    for (const response of responses) if (response !== responseInProgress(socket)) closeResponse(response);
  });
  return pipeline;
}
