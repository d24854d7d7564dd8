/** Imports a module of `bench`, which is plain JavaScript: the caller states the types that it expects. */
export const benchModule = async <Exports>(file: string): Promise<Exports> =>
  (await import(new URL(`../../../bench/${file}`, import.meta.url).href)) as Exports;
