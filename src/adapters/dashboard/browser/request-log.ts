/** The request log: keeps it up to date, and adds a button that copies each request id. */
const EVERY_MS = 5_000;

/** A choice that shows another page at once. Without scripts there is a button. */
for (const select of document.querySelectorAll<HTMLSelectElement>('select[data-submits]'))
  select.addEventListener('change', () => select.form?.requestSubmit());

function addButtons(log: HTMLElement): void {
  if (navigator.clipboard === undefined) return;
  for (const cell of log.querySelectorAll<HTMLElement>('[data-copy]')) {
    // The text is the beginning of the value.
    const value = cell.dataset['value'] ?? '';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${cell.dataset['copy']} ${value}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(value);
      button.textContent = 'Copied';
    });
    cell.append(' ', button);
  }
}

/** Not while the page is hidden, nor while somebody uses the list. */
async function refresh(log: HTMLElement, source: string): Promise<void> {
  if (document.hidden || log.contains(document.activeElement) || log.matches(':hover')) return;
  // With the second header the service logs these requests at debug (`http/access-log.ts`).
  const answer = await fetch(source, { headers: { Accept: 'text/html', 'X-Page-Poll': '1' } });
  if (!answer.ok || answer.redirected) return clearInterval(polling);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(log.id);
  if (fresh === null || fresh.textContent === shown) return;
  shown = fresh.textContent;
  log.replaceChildren(...fresh.childNodes);
  addButtons(log);
}

const log = document.getElementById('request-log');
const source = log?.dataset['source'];
let shown = log?.textContent ?? null;
if (log !== null) addButtons(log);
const polling = setInterval(() => {
  // A failed request is ignored: the next one may succeed.
  if (log !== null && source !== undefined) void refresh(log, source).catch(() => {});
}, EVERY_MS);

// A module of its own: its names are not those of other scripts.
export {};
