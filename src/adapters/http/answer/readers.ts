/** Customers call the public interface. Operators, publishers and the payment processor call the internal one. */
export type Reader = 'customer' | 'operator';

/** Who can get a code. `page`: only a page of the dashboard has it, as a text. */
export type Readers = Reader | 'both' | 'page';

export const includesReader = (readers: Readers, reader: Reader): boolean =>
  readers === 'both' || readers === reader;
