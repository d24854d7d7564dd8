/**
 * Sends the calls of the API reference. The key is read from its field for each request: it is never in an address, in
 * storage or in a cookie. Without scripts the forms stay hidden.
 */
const keyField = document.querySelector<HTMLInputElement>('#try-key');
/** Longer bodies are cut: a page of 500 items would stop the browser. */
const SHOWN_MAX = 20_000;
/** Without it, `/pm/v2/stream` would send events without an end, and `/` a page. */
const ACCEPT = 'application/json';

for (const element of document.querySelectorAll<HTMLElement>('[data-try]')) element.hidden = false;

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

async function send(form: HTMLFormElement): Promise<void> {
  const result = form.querySelector<HTMLElement>('[data-result]');
  const button = form.querySelector('button');
  if (result === null || button === null) return;
  button.disabled = true;
  result.replaceChildren(paragraph('Sending…'));
  try {
    result.replaceChildren(...(await answerTo(form)));
  } catch {
    result.replaceChildren(paragraph('No answer: the service cannot be reached from this browser.'));
  }
  button.disabled = false;
}

async function answerTo(form: HTMLFormElement): Promise<readonly Element[]> {
  const key = keyField?.value.trim() ?? '';
  const needsKey = form.dataset['key'] === 'yes';
  const fault = needsKey ? keyFault(key) : null;
  if (fault !== null) {
    keyField?.focus();
    return [fault];
  }
  const path = `${form.dataset['path']}${queryOf(form)}`;
  const startedAt = performance.now();
  const response = await fetch(path, {
    headers: { Accept: ACCEPT, ...(needsKey && { 'X-API-Key': key }) },
    cache: 'no-store',
    credentials: 'omit',
  });
  const body = await response.text();
  const milliseconds = Math.round(performance.now() - startedAt);
  const status = paragraph(`${response.status} ${response.statusText} in ${milliseconds} ms`);
  status.className = response.ok ? 'badge good' : 'badge bad';
  return [
    status,
    block('Request', [`GET ${path}`, `Accept: ${ACCEPT}`, ...(needsKey ? ['X-API-Key: …'] : [])].join('\n')),
    block('Body', readable(body)),
    block('Headers', headersOf(response)),
  ];
}

function queryOf(form: HTMLFormElement): string {
  const query = new URLSearchParams();
  const fields = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-parameter]');
  for (const field of fields) {
    for (const value of valuesOf(field)) query.append(field.dataset['parameter'] ?? '', value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** Each line of a field with several lines is a value, so that a value can contain commas. */
const valuesOf = ({ localName, value }: HTMLInputElement | HTMLTextAreaElement): readonly string[] =>
  (localName === 'textarea' ? value.split('\n') : [value]).filter((one) => one !== '');

/** Those that the service lets web pages read. */
const headersOf = (response: Response): string =>
  [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');

function readable(body: string): string {
  const text = formatted(body);
  return text.length > SHOWN_MAX
    ? `${text.slice(0, SHOWN_MAX)}\n… ${text.length - SHOWN_MAX} more characters`
    : text;
}

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

/** Why the key cannot be sent, with a link to its field; null if it can be. A header takes only ASCII. */
function keyFault(key: string): HTMLElement | null {
  if (key === '') return linkToKey('Enter your API key', ' at the top of this page first.');
  if (/^[\x21-\x7e]+$/.test(key)) return null;
  return linkToKey(
    'Correct your API key',
    ' at the top of this page. It has a character that no key has. A key has only the letters A to Z and a to z, digits, - and _, and no spaces. Nothing was sent.',
  );
}

function linkToKey(text: string, rest: string): HTMLElement {
  const message = paragraph(rest);
  const link = document.createElement('a');
  link.href = '#try-key';
  link.textContent = text;
  message.prepend(link);
  return message;
}

function block(title: string, text: string): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'sample';
  const caption = document.createElement('figcaption');
  caption.textContent = title;
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text;
  figure.append(caption, pre);
  return figure;
}
