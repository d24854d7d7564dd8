import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

highlighter.registerLanguage('sh', bash);
highlighter.registerLanguage('js', javascript);
highlighter.registerLanguage('json', json);
highlighter.registerLanguage('python', python);
highlighter.registerLanguage('ts', typescript);
highlighter.registerLanguage('text', () => ({ contains: [] }));

/** Brackets and operators keep the color of the text, and would be a third of the markup. */
const PLAIN = /<span class="hljs-(?:punctuation|operator|subst)">([^<]*)<\/span>/g;

/** The code as HTML, with a class on each word that has a color of its own. */
export const highlighted = (code: string, language: string): string => {
  const known = highlighter.getLanguage(language) === undefined ? 'text' : language;
  return highlighter.highlight(code, { language: known }).value.replaceAll(PLAIN, '$1');
};
