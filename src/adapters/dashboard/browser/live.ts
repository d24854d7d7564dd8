/** Parts of the page that are kept up to date: the page is asked for again, and what has an id and changes is put in place. */
const EVERY_MS = 3_000;

async function refresh(): Promise<void> {
  if (document.hidden) return;
  // The second header has the service log these requests at debug (`http/access-log.ts`).
  const answer = await fetch(location.href, { headers: { Accept: 'text/html', 'X-Page-Poll': '1' } });
  if (!answer.ok || answer.redirected) return clearInterval(asking);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const region of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const next = fresh.getElementById(region.id);
    if (next !== null && next.innerHTML !== region.innerHTML) region.replaceChildren(...next.childNodes);
  }
}

// A round that fails is nothing to tell: the next one may not.
const asking = setInterval(() => void refresh().catch(() => {}), EVERY_MS);
