/**
 * Shows one sample of each group: that of the language that the reader chose last, on this page or another one. Without scripts all
 * samples are visible, one after the other.
 */
const STORED = 'oddswire-language';
const groups = [...document.querySelectorAll<HTMLElement>('[data-samples]')];

/** The shell has two names: a sample that only calls curl, and a script. So has the language of scripts. */
const SAME = new Map([
  ['curl', 'Shell'],
  ['TypeScript', 'JavaScript'],
]);
const familyOf = (name: string): string => SAME.get(name) ?? name;

const samplesOf = (group: HTMLElement): readonly HTMLElement[] => [
  ...group.querySelectorAll<HTMLElement>('figure[data-language]'),
];
const languageOf = (sample: HTMLElement): string => sample.dataset['language'] ?? '';

/** Null if the browser keeps nothing for this page. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function keepLanguage(language: string): void {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // The choice holds for this page only.
  }
}

/** A group without this language keeps what it shows. */
function showLanguage(group: HTMLElement, language: string): void {
  const samples = samplesOf(group);
  const chosen = samples.find((sample) => familyOf(languageOf(sample)) === language);
  if (chosen === undefined) return;
  for (const sample of samples) sample.hidden = sample !== chosen;
  for (const input of group.querySelectorAll<HTMLInputElement>('input'))
    input.checked = input.value === language;
}

function chooseLanguage(group: HTMLElement, language: string): void {
  keepLanguage(language);
  const before = group.getBoundingClientRect().top;
  for (const other of groups) showLanguage(other, language);
  // Groups above have another height now: what the reader looks at stays where it is.
  scrollBy(0, group.getBoundingClientRect().top - before);
}

/** Radio buttons, so that the arrow keys work. */
function addTabs(group: HTMLElement, name: string): void {
  const tabs = document.createElement('fieldset');
  tabs.className = 'sample-tabs language-tabs';
  const legend = document.createElement('legend');
  legend.className = 'hidden';
  legend.textContent = 'Language of the sample';
  tabs.append(legend);
  for (const sample of samplesOf(group)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'radio', name, value: familyOf(languageOf(sample)), className: 'hidden' });
    input.addEventListener('change', () => chooseLanguage(group, input.value));
    const label = document.createElement('label');
    label.append(input, languageOf(sample));
    tabs.append(label);
  }
  group.prepend(tabs);
  const [first] = samplesOf(group);
  if (first !== undefined) showLanguage(group, familyOf(languageOf(first)));
}

groups.forEach((group, i) => {
  addTabs(group, `language-${i}`);
});
const kept = storedLanguage();
if (kept !== null) for (const group of groups) showLanguage(group, kept);
