/** Resolves after the input of this turn of the event loop was read. */
export const nextImmediate = (): Promise<void> => new Promise((done) => setImmediate(done));
