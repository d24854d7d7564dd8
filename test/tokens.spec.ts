import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const STYLES = 'src/adapters/dashboard/browser';
const TOKENS = 'tokens.css';

/** A token, what is inherited, or a weight; the font of the whole page has a line height. */
const TOKEN = /^(?:inherit|100% \/ 1\.5 var\(--font\)|var\(--[\w-]+\)|[1-9]00)$/;
const COLOURS = new Set('black white red green blue gray grey silver orange yellow purple pink'.split(' '));
/** 0, 4, 8, 12, 16, 24 and 32 px. */
const SPACES = new Set(['0', '0.25rem', '0.5rem', '0.75rem', '1rem', '1.5rem', '2rem']);
/** What is no length of its own: a share of the text or of the window, a token, or what a browser finds out. */
const RELATIVE = /^(?:auto|[\d.]+(?:em|vh)|var\(--[\w-]+\)|-?1px)$/;

type Declaration = { readonly property: string; readonly value: string };

const declarationsOf = (css: string): readonly Declaration[] =>
  [...css.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/(?<=[;{]\s*)([\w-]+):\s*([^;{}]+);/g)].map(
    ([, property = '', value = '']) => ({ property, value: value.replaceAll(/\s+/g, ' ').trim() }),
  );

const hasColour = ({ value }: Declaration): boolean =>
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|color)a?\(/i.test(value) ||
  value.split(/[\s,()]+/).some((word) => COLOURS.has(word));

const hasOwnFont = ({ property, value }: Declaration): boolean =>
  /^font(?:-size|-family|-weight)?$/.test(property) && !TOKEN.test(value);

const hasOwnSpace = ({ property, value }: Declaration): boolean =>
  /^(?:margin|padding|(?:row-|column-)?gap)\b/.test(property) &&
  value.split(' ').some((space) => !SPACES.has(space.replace(/^-/, '')) && !RELATIVE.test(space));

const faultsIn = (css: string): readonly string[] =>
  declarationsOf(css)
    .filter((each) => hasColour(each) || hasOwnFont(each) || hasOwnSpace(each))
    .map(({ property, value }) => `${property}: ${value}`);

describe('The styles of the pages', () => {
  const files = readdirSync(STYLES).filter((name) => name.endsWith('.css'));

  it('have colours, fonts, sizes of text and spaces only from tokens.css', () => {
    const faults = files
      .filter((name) => name !== TOKENS)
      .flatMap((name) =>
        faultsIn(readFileSync(`${STYLES}/${name}`, 'utf8')).map((fault) => `${name}: ${fault}`),
      );
    expect(faults).to.deep.equal([]);
  });

  it('name only tokens that exist, and every token is named', () => {
    const texts = files.map((name) => readFileSync(`${STYLES}/${name}`, 'utf8'));
    const scripts = readdirSync(STYLES)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`${STYLES}/${name}`, 'utf8'));
    const defined = new Set(declarationsOf(texts.join('\n')).map(({ property }) => property));
    const tokens = [...defined].filter((property) => property.startsWith('--'));
    const named = new Set(
      texts.flatMap((css) => [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)),
    );
    expect([...named].filter((name) => !tokens.includes(name ?? ''))).to.deep.equal([]);
    // Scripts make names such as `--status-2xx` of the value that a chart shows.
    const isInScript = (token: string) =>
      scripts.some((code) => code.includes(token) || code.includes(token.replace(/\dxx$/, '')));
    expect(tokens.filter((token) => !named.has(token) && !isInScript(token))).to.deep.equal([]);
  });

  it('are checked for each kind of value', () => {
    const wrong = [
      ...[
        'color: #fff',
        'border: 1px solid red',
        'background: rgb(0 0 0 / 14%)',
        'fill: color-mix(in lab, red, blue)',
      ],
      ...[
        'font-size: 15px',
        'font-size: 0.9rem',
        'font: 700 1rem Arial',
        'font-family: Arial',
        'font-weight: bold',
      ],
      ...['margin: 0.3rem 0', 'padding-inline: 10px', 'gap: 1.25rem', 'margin: -2.5rem'],
    ];
    const right = [
      ...[
        'color: var(--text)',
        'border: 1px solid var(--line)',
        'background: none',
        'font-size: var(--size-note)',
      ],
      ...[
        'font: inherit',
        'font-weight: 600',
        'margin: 0 auto',
        'padding: 0.1em 0.25rem',
        'margin: -0.5rem 0 0',
      ],
    ];
    expect(wrong.filter((each) => faultsIn(`a { ${each}; }`).length === 0)).to.deep.equal([]);
    expect(right.filter((each) => faultsIn(`a { ${each}; }`).length > 0)).to.deep.equal([]);
  });
});
