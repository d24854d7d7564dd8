/** Several rounds, so that connections are open and calls really overlap; more with `DEEP=1`. */
export const ROUNDS = process.env['DEEP'] === undefined ? 8 : 20;

/** Two instances over one store. */
export type Pair<Port> = readonly [Port, Port];

export const pairOf = async <Port>(instance: () => Promise<Port>): Promise<Pair<Port>> => [
  await instance(),
  await instance(),
];

/** The results of ten concurrent calls, half of them on each instance. */
export const tenAtOnce = <Port, T>([left, right]: Pair<Port>, attempt: (store: Port) => Promise<T>) =>
  Promise.all(Array.from({ length: 10 }, (_, i) => attempt(i % 2 === 0 ? left : right)));
