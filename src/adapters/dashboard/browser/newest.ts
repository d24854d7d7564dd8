/** Keeps the newest item of the front page up to date, and counts its age. */
const CARD_PATH = '/?newest';
const POLL_MS = 5_000;
const TICK_MS = 1_000;
const COUNTED_SECONDS = 60;

const region = document.getElementById('newest');
/** The time of this browser at which the card that is shown was made. */
let shownAt = performance.now();

const cardIn = (root: ParentNode | null): HTMLElement | null =>
  root?.querySelector<HTMLElement>('[data-item]') ?? null;

async function refreshCard(): Promise<void> {
  if (document.hidden || region === null) return;
  // With the second header the service logs these requests at debug (`http/access-log.ts`).
  const answer = await fetch(CARD_PATH, { headers: { Accept: 'text/html', 'X-Page-Poll': '1' } });
  if (answer.status !== 200) return;
  const fresh = cardIn(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  const shown = cardIn(region);
  if (fresh === null || shown === null) return;
  // An item that is being read stays until its details are closed.
  if (fresh.dataset['item'] !== shown.dataset['item'] && shown.querySelector('details[open]')) return;
  if (fresh.dataset['item'] !== shown.dataset['item']) region.replaceChildren(fresh);
  else keepAge(shown, fresh);
  shownAt = performance.now();
  tick();
}

function keepAge(shown: HTMLElement, fresh: HTMLElement): void {
  shown.dataset['age'] = fresh.dataset['age'];
  const [time, freshTime] = [shown.querySelector('time'), fresh.querySelector('time')];
  if (time && freshTime) time.textContent = freshTime.textContent;
}

/** The first minute in seconds; after it the text of the service is exact enough. */
function tick(): void {
  const card = cardIn(region);
  const time = card?.querySelector('time');
  if (!card || !time) return;
  const seconds = Math.floor(Number(card.dataset['age']) + (performance.now() - shownAt) / 1_000);
  if (seconds < COUNTED_SECONDS) time.textContent = `${seconds} ${seconds === 1 ? 'second' : 'seconds'} ago`;
}

// A failed request is ignored: the next one may succeed.
setInterval(() => void refreshCard().catch(() => {}), POLL_MS);
setInterval(tick, TICK_MS);
