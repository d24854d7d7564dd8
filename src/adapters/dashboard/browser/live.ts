/** Keeps marked elements up to date: polls the page and replaces the content of elements that changed. */
const EVERY_MS = 3_000;

async function refresh(): Promise<void> {
  if (document.hidden) return;
  // With the second header the service logs these requests at debug (`http/access-log.ts`).
  const answer = await fetch(location.href, { headers: { Accept: 'text/html', 'X-Page-Poll': '1' } });
  if (!answer.ok || answer.redirected) return clearInterval(polling);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const region of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const next = fresh.getElementById(region.id);
    if (next !== null && next.innerHTML !== region.innerHTML) region.replaceChildren(...next.childNodes);
  }
}

// A failed request is ignored: the next one may succeed.
const polling = setInterval(() => void refresh().catch(() => {}), EVERY_MS);
