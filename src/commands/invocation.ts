let isOddswire = false;

/** Called by the command `oddswire`, before it loads the module of a subcommand. */
export function useOddswireNames(): void {
  isOddswire = true;
}

/** How the caller starts a command, for texts: `oddswire import` in an installed package, else `npm run import --`. */
export const invocationOf = (name: string, inSource = `npm run ${name} --`): string =>
  isOddswire ? `oddswire ${name}` : inSource;
