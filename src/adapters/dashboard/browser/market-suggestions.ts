/** Suggests markets for what is typed, in the list of the field itself. A suggestion that is chosen leads to its page. */
type Suggestion = { readonly title: string; readonly path: string };

const PAUSE_MS = 200;

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-suggestions]')) {
  const list = document.createElement('datalist');
  list.id = `${field.id}-suggestions`;
  field.after(list);
  field.setAttribute('list', list.id);
  let paths: ReadonlyMap<string, string> = new Map();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = '';

  const suggest = async (): Promise<void> => {
    const text = field.value;
    if (text === asked) return;
    asked = text;
    const address = `${field.dataset['suggestions'] ?? ''}?${new URLSearchParams({ q: text })}`;
    const response = await fetch(address).catch(() => null);
    if (response === null || !response.ok || field.value !== text) return;
    const found = (await response.json()) as readonly Suggestion[];
    // Several markets can have the same title.
    const titles = found.map(({ title }) => title);
    const labelOf = ({ title, path }: Suggestion): string =>
      titles.indexOf(title) === titles.lastIndexOf(title)
        ? title
        : `${title} (${decodeURIComponent(path.split('/').at(-1) ?? '')})`;
    paths = new Map(found.map((each) => [labelOf(each), each.path]));
    list.replaceChildren(
      ...[...paths.keys()].map((value) => Object.assign(document.createElement('option'), { value })),
    );
  };

  field.addEventListener('input', (event) => {
    // A title that is typed may be the beginning of another one.
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText';
    const chosen = paths.get(field.value);
    if (chosen !== undefined && !isTyped) return location.assign(chosen);
    clearTimeout(timer);
    timer = setTimeout(() => void suggest(), PAUSE_MS);
  });
}
