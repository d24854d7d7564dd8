/** A difference of this share is allowed by our rules. */
const ALLOWED = 0.03;

/**
 * Judges the rate of B against those of A and A′, two processes of one build. The spread between those two is what the
 * machine's noise makes of the same code; a difference counts where it exceeds the 3 % by more than that.
 */
export function judge(a, b, again) {
  const [difference, noise] = [b - a, Math.abs(again - a)];
  const ratio = b / a;
  const spread = noise / a;
  if (Math.abs(difference) <= ALLOWED * a + noise) return { ratio, spread, verdict: 'within 3 %' };
  const share = (Math.abs(ratio - 1) * 100).toFixed(1);
  return { ratio, spread, verdict: `${difference < 0 ? 'slower' : 'faster'} by ${share} %` };
}
