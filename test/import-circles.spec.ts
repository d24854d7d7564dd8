import { dirname, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { files, importsOf, sources, src } from './support/syntax/sources.js';

/** The source files that a file imports, type imports included. */
const importedBy = (file: string): readonly string[] =>
  importsOf(sources.get(file) ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(src, resolve(src, dirname(file), specifier)).replace(/\.js$/, '.ts'))
    .map((name) => (sources.has(name) ? name : `${name}x`));

/** Files that import each other, directly or by others: the strongly connected components of the imports (Tarjan). */
function circles(importsOfFile: (file: string) => readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  const stack: string[] = [];
  const seen = new Map<string, { readonly index: number; lowest: number; isOnStack: boolean }>();
  const visit = (file: string): { lowest: number } => {
    const node = { index: seen.size, lowest: seen.size, isOnStack: true };
    seen.set(file, node);
    stack.push(file);
    for (const imported of importsOfFile(file)) {
      const known = seen.get(imported);
      if (known === undefined) node.lowest = Math.min(node.lowest, visit(imported).lowest);
      else if (known.isOnStack) node.lowest = Math.min(node.lowest, known.index);
    }
    if (node.lowest < node.index) return node;
    const circle = stack.splice(stack.indexOf(file));
    for (const member of circle) Object.assign(seen.get(member) ?? {}, { isOnStack: false });
    if (circle.length > 1) found.push(circle);
    return node;
  };
  for (const file of files) if (!seen.has(file)) visit(file);
  return found;
}

describe('Import circles', () => {
  it('do not exist among the source files, type imports included', () => {
    const imports = new Map<string, readonly string[]>([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', ['c']],
      ['e', ['a']],
    ]);
    const [first = ''] = files;
    const made = circles((file) => (file === first ? ['e'] : (imports.get(file) ?? [])));
    expect(made.map((circle) => circle.toSorted())).to.deep.equal([['a', 'b', 'c', 'd']]);
    expect(circles(importedBy)).to.deep.equal([]);
  });
});
