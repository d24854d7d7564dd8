/** The smallest and the largest value of a numeric parameter. */
export type NumberRange = { readonly minimum: number; readonly maximum: number };

const INTEGER = /^-?[0-9]+$/;

/**
 * The number of a parameter: digits only, at most as many as `maximum` has (D13). An integer outside the range is returned
 * in any number of digits, so that it is refused for its range; undefined for any other text.
 */
export function readWholeNumber(text: string, { minimum, maximum }: NumberRange): number | undefined {
  if (!INTEGER.test(text)) return undefined;
  const number = Math.min(Math.max(Number(text), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  const isInRange = number >= minimum && number <= maximum;
  const isPlain = !text.startsWith('-') && text.length <= String(maximum).length;
  return isInRange && !isPlain ? undefined : number;
}
