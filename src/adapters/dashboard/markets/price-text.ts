/** A price from 0 to 1: `43.0¢`. */
export const cents = (price: number): string => `${(price * 100).toFixed(1)}¢`;

/** Percentage points with the sign of mathematics: a hyphen is too short to see. */
export const signed = (points: number): string =>
  `${points > 0 ? '+' : ''}${points.toFixed(1)}`.replace('-', '−');
