import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const project = resolve(import.meta.dirname, '../../../..');
export const src = join(project, 'src');

/** The TypeScript files in a folder and below. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));

/** The source files, by their paths in `src`. */
export const files = filesIn(src);
export const sources = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));

export const importsOf = (source: string): readonly string[] =>
  [...source.matchAll(/\b(?:from\s+|import\s+|import\()'([^']+)'/g)].map(([, specifier]) => specifier ?? '');
