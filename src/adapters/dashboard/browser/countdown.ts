/** Counts down what the page says is left; at the end the page is asked for again, and tells what is so then. */
for (const timer of document.querySelectorAll<HTMLElement>('[data-seconds]')) {
  const seconds = Number(timer.dataset['seconds']);
  // By the time that passes here: the clock of a visitor need not be right.
  const endsAt = performance.now() + seconds * 1_000;
  const counting = setInterval(() => {
    const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
    timer.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    if (left > 0) return;
    clearInterval(counting);
    // Nobody's words are thrown away for it.
    if ([...document.querySelectorAll('input')].some((input) => input.value !== input.defaultValue)) return;
    // Not by reloading: that would send again the form which this page may have answered.
    location.replace(location.pathname + location.search);
  }, 250);
}
