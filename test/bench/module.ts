/** A module of `bench`, which is plain JavaScript and so has no types: the caller says what it expects of it. */
export const benchModule = async <Exports>(file: string): Promise<Exports> =>
  (await import(new URL(`../../../bench/${file}`, import.meta.url).href)) as Exports;
