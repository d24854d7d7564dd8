/** `1,204`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** `2%`, `<1%`: neither rounded down to nothing nor up to everything. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  if (percent > 99 && percent < 100) return '99%';
  return `${Math.round(percent).toLocaleString('en-US')}%`;
}
