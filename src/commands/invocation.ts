import { processEnvironment } from '../settings/process-environment.js';

let oddswireName: string | null = null;

/** Called by the command `oddswire`, before it loads the module of a subcommand. Two names can have one module. */
export function useOddswireName(name: string): void {
  oddswireName = name;
}

/** How the caller starts a command, for texts: `oddswire import` in an installed package, else `npm run import --`. npx sets `npm_command`. */
export const invocationOf = (name: string, inSource = `npm run ${name} --`): string =>
  oddswireName === null
    ? inSource
    : `${processEnvironment()['npm_command'] === 'exec' ? 'npx ' : ''}oddswire ${oddswireName}`;
