import { readFileSync } from 'node:fs';
import { type LoadHook, register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

// For `node --import`: an older Node then runs a file with types, as Node 22.18 and newer do without it.
if (isMainThread) register(import.meta.url);

export const load: LoadHook = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(readFileSync(fileURLToPath(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
};
