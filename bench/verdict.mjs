/** The relative difference that the project allows. */
const ALLOWED = 0.03;

/**
 * Compares the rate of B with those of A and A′, two processes of one build. The spread between A and A′ is the noise of the
 * machine. A difference counts only if it exceeds 3 % plus this spread.
 */
export function judge(a, b, again) {
  const [difference, noise] = [b - a, Math.abs(again - a)];
  const ratio = b / a;
  const spread = noise / a;
  if (Math.abs(difference) <= ALLOWED * a + noise) return { ratio, spread, verdict: 'within 3 %' };
  const share = (Math.abs(ratio - 1) * 100).toFixed(1);
  return { ratio, spread, verdict: `${difference < 0 ? 'slower' : 'faster'} by ${share} %` };
}
