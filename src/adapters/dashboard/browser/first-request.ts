/** Shows the first request with a new key as soon as it arrives. Asks for some minutes; then the link remains. */
const ASK_EVERY_MS = 2_000;
const ASKS_MAX = 150;

type Answer = { readonly state: string; readonly text: string };

for (const region of document.querySelectorAll<HTMLElement>('[data-asks]')) {
  const link = region.parentElement?.querySelector('a') ?? null;
  if (link !== null) link.hidden = true;
  let asks = 0;

  const end = (shown: boolean): void => {
    clearInterval(asking);
    if (link !== null) link.hidden = !shown;
  };

  const ask = async (): Promise<void> => {
    if (document.hidden) return;
    asks += 1;
    if (asks > ASKS_MAX) return end(true);
    // With the second header the service logs these requests at debug (`http/access-log.ts`).
    const headers = { Accept: 'application/json', 'X-Page-Poll': '1' };
    const response = await fetch(region.dataset['asks'] ?? '', { headers });
    if (response.redirected || response.status === 404) return end(true);
    if (!response.ok) return;
    const { state, text } = (await response.json()) as Answer;
    if (region.textContent === text) return;
    region.textContent = text;
    region.dataset['state'] = state;
    if (state === 'answered') end(false);
  };

  // A failed request is ignored: the next one may succeed.
  const asking = setInterval(() => void ask().catch(() => {}), ASK_EVERY_MS);
}
