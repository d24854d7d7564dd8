/** Keeps an open page of the feed up to date, and moves through its items by keys. */
const items = document.querySelector<HTMLElement>('#items');
const state = document.querySelector<HTMLElement>('.live-state');
const pill = document.querySelector<HTMLButtonElement>('.pill');

/** The most new items that are kept until they are shown. */
const NEW_MAX = 50;
/** A new connection after one that was refused. */
const AGAIN_MS = 5_000;
const AGES_MS = 20_000;
const MARKED_MS = 2_000;

type State = 'live' | 'reconnecting' | 'paused' | 'ended';

const fresh = new Map<string, Element>();
let source: EventSource | null = null;
let position = items?.dataset['position'] ?? '';
let isEnded = false;

function show(next: State, text: string): void {
  if (state === null || state.textContent === text) return;
  state.hidden = false;
  state.dataset['state'] = next;
  state.textContent = text;
}

const cardOf = (id: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('#items > .card')].find((card) => card.dataset['item'] === id);

function badge(card: Element, text: string): void {
  const mark = Object.assign(document.createElement('span'), {
    className: 'badge warning',
    textContent: text,
  });
  card.querySelector('.card-facts')?.prepend(mark);
}

function showPill(): void {
  if (pill === null) return;
  pill.hidden = fresh.size === 0;
  const count = fresh.size >= NEW_MAX ? `${NEW_MAX} or more` : `${fresh.size}`;
  pill.textContent = `${count} new ${fresh.size === 1 ? 'item' : 'items'}`;
}

function took(id: string, html: string): void {
  const card = document.createRange().createContextualFragment(html).firstElementChild;
  const old = cardOf(id);
  if (card === null) return;
  if (old !== undefined) {
    badge(card, 'Corrected');
    const hadFocus = old === document.activeElement;
    old.replaceWith(card);
    if (hadFocus && card instanceof HTMLElement) card.focus();
    return;
  }
  fresh.delete(id);
  if (fresh.size < NEW_MAX) fresh.set(id, card);
  showPill();
}

function retracted(id: string): void {
  fresh.delete(id);
  showPill();
  const card = cardOf(id);
  if (card === undefined || card.classList.contains('retracted')) return;
  card.classList.add('retracted');
  badge(card, 'Retracted');
}

function showFresh(): void {
  // More than these were published: the page that has them all is the newest one.
  if (fresh.size >= NEW_MAX) {
    location.reload();
    return;
  }
  const cards = [...fresh.values()];
  for (const card of cards) {
    card.classList.add('fresh');
    items?.prepend(card);
  }
  setTimeout(() => {
    for (const card of cards) card.classList.remove('fresh');
  }, MARKED_MS);
  fresh.clear();
  showPill();
  items?.querySelector<HTMLElement>('.card')?.focus();
}

const ENDS: ReadonlyMap<string, string> = new Map([
  ['behind', 'Paused. Reload the page for what is new.'],
  ['replaced', 'Paused: the feed is open in other windows.'],
  ['signed_out', 'Paused: the session does not read the feed any more. Reload the page.'],
]);

function connect(): void {
  const address = items?.dataset['events'];
  if (address === undefined || isEnded || document.hidden || source !== null) return;
  const opened = new EventSource(`${address}&${new URLSearchParams({ after: position })}`);
  source = opened;
  const at = (event: MessageEvent): void => {
    if (event.lastEventId !== '') position = event.lastEventId;
  };
  opened.addEventListener('open', () => show('live', 'Live'));
  opened.addEventListener('item', ({ data }: MessageEvent<string>) => {
    const { id, html } = JSON.parse(data) as { id: string; html: string };
    took(id, html);
  });
  opened.addEventListener('retraction', ({ data }: MessageEvent<string>) => {
    retracted((JSON.parse(data) as { id: string }).id);
  });
  opened.addEventListener('heartbeat', at);
  opened.addEventListener('closing', ({ data }: MessageEvent<string>) => {
    isEnded = true;
    disconnect();
    show('ended', ENDS.get(data) ?? 'Paused. Reload the page.');
  });
  opened.addEventListener('error', () => {
    show('reconnecting', 'Reconnecting…');
    // Otherwise the browser connects again by itself, with its position.
    if (opened.readyState !== EventSource.CLOSED) return;
    disconnect();
    setTimeout(() => void connectAgain(opened.url), AGAIN_MS);
  });
}

/** A session that has ended, or reads the feed no more, is no matter of the connection. */
async function connectAgain(address: string): Promise<void> {
  const answer = await fetch(address, { method: 'HEAD', redirect: 'manual' }).catch(() => null);
  if (answer === null || answer.ok || answer.status >= 429) return connect();
  isEnded = true;
  show('ended', ENDS.get('signed_out') ?? '');
}

function disconnect(): void {
  source?.close();
  source = null;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return connect();
  disconnect();
  if (!isEnded) show('paused', 'Paused');
});
// A page in the back/forward cache of the browser keeps no connection.
addEventListener('pagehide', disconnect);
addEventListener('pageshow', connect);
pill?.addEventListener('click', showFresh);

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** As `agoText` of the service, by the clock of the visitor. */
function showAges(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('#items .card-facts time')) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1_000));
    const [length, unit] = UNITS.find(([each]) => seconds >= each) ?? [1, 'second'];
    const count = Math.floor(seconds / length);
    time.textContent = `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  }
}
setInterval(showAges, AGES_MS);

const MOVES: ReadonlyMap<string, 1 | -1> = new Map([
  ['j', 1],
  ['k', -1],
]);

function move(step: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('#items > .card')];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  cards[Math.max(0, Math.min(cards.length - 1, at + step))]?.focus();
}

/** Unfolds all of the card that has the focus, or folds it again. */
function unfold(): void {
  const folds = document.activeElement?.closest('.card')?.querySelectorAll('details') ?? [];
  const isOpen = [...folds].some((fold) => fold.open);
  for (const fold of folds) fold.open = !isOpen;
}

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = MOVES.get(event.key);
  if (step !== undefined) move(step);
  else if (event.key === 'o') unfold();
  else if (event.key === '/') document.querySelector<HTMLElement>('#feed-q')?.focus();
  else return;
  event.preventDefault();
});
const keys = document.querySelector<HTMLElement>('.live-keys');
if (keys !== null) keys.hidden = false;
