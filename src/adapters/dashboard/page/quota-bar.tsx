/** How much of a quota is used, as a bar. The text beside it has the numbers, so readers of the screen skip the bar. */
export const QuotaBar = ({ used, quota }: { readonly used: number; readonly quota: number }) => {
  const share = Math.min(1, used / Math.max(1, quota));
  // What was used is to be seen, also if it is very little.
  const width = used === 0 ? 0 : Math.max(0.5, 100 * share);
  return (
    <svg class="quota-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="8" />
      <rect class={share >= 1 ? 'used up' : 'used'} width={width.toFixed(1)} height="8" />
    </svg>
  );
};
