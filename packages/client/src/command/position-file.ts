import { readFile, rename, writeFile } from 'node:fs/promises';

/** The position that `follow` has reached. Undefined if there is no such file yet. */
export async function storedPosition(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(unlessMissing);
  return text?.trim();
}

function unlessMissing(fault: unknown): undefined {
  if ((fault as { readonly code?: string }).code !== 'ENOENT') throw fault;
}

/** Complete or not at all, whenever the process is killed. */
export async function storePosition(file: string, position: string): Promise<void> {
  await writeFile(`${file}.new`, position);
  await rename(`${file}.new`, file);
}
