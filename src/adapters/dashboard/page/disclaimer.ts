/** In the footer of every page, signed in or not (contract section 1). */
export const DISCLAIMER = 'Data, not investment advice and not a trading signal. Oddswire places no orders.';
