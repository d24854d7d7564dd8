/**
 * A result, or a promise of it. The ports of the read path return this: a request that is answered from memory creates no
 * promise and completes in the same turn of the event loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to a result: at once, or when the promise resolves. */
export const andThen = <T, U>(
  result: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (result instanceof Promise ? result.then(next) : next(result));

/** The result of `work`, or that of `recover` if `work` throws or rejects. */
export function orElse<T>(
  work: () => MaybePromise<T>,
  recover: (fault: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (fault) {
    return recover(fault);
  }
}

/** What `done` makes of the result of `work`, or `failed` of what `work` throws or rejects with. */
export function settle<T, U>(
  work: () => MaybePromise<T>,
  done: (value: T) => MaybePromise<U>,
  failed: (fault: unknown) => MaybePromise<U>,
): MaybePromise<U> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (fault) {
    return failed(fault);
  }
  return result instanceof Promise ? result.then(done, failed) : done(result);
}

/** The result of `work`. `cleanUp` runs after it, whether it succeeds or fails. */
export function finallyDo<T>(work: () => MaybePromise<T>, cleanUp: () => void): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (fault) {
    cleanUp();
    throw fault;
  }
  if (result instanceof Promise) return result.finally(cleanUp);
  cleanUp();
  return result;
}
