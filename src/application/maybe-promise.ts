/**
 * A result that is here already, or a promise of it. Ports that a page is answered from return this: a request whose
 * answer is in the process creates no promise and is answered in the same turn of the event loop.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to a result: at once where it is here, else when it comes. */
export const andThen = <T, U>(
  result: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (result instanceof Promise ? result.then(next) : next(result));

/** The result of `work`, or what `recover` makes of its fault, thrown or rejected. */
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

/** The result of `work`; `cleanUp` runs once it is there, or has failed. */
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
