import type { webSocketTo } from './stream-callers.js';

/** Waits for a state that messages of the caller change: each pong is received after them. */
export async function waitFor(
  is: () => boolean,
  webSocket: Awaited<ReturnType<typeof webSocketTo>>['webSocket'],
): Promise<void> {
  while (!is()) {
    await new Promise<void>((done) => {
      webSocket.once('pong', () => done());
      webSocket.ping();
    });
  }
}
