/** Counts down the remaining time, then loads the page again to show the new state. */
for (const timer of document.querySelectorAll<HTMLElement>('[data-seconds]')) {
  const seconds = Number(timer.dataset['seconds']);
  // Elapsed time, not the visitor's clock, which may be wrong.
  const endsAt = performance.now() + seconds * 1_000;
  const counting = setInterval(() => {
    const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
    timer.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    if (left > 0) return;
    clearInterval(counting);
    // Do not discard text that the visitor has entered.
    if ([...document.querySelectorAll('input')].some((input) => input.value !== input.defaultValue)) return;
    // `reload()` would submit again the form that this page may be the answer to.
    location.replace(location.pathname + location.search);
  }, 250);
}
