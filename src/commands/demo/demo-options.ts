import { parseArgs } from 'node:util';

type DemoOptions = { readonly help: boolean; readonly otherLanguages: boolean };

/** `command` starts the demo, for example `npm run demo --`. */
export const helpText = (command: string): string => `${command} [options]

Starts the service in memory, with invented news stories, and prints a key for each plan.

Options:
  --all-languages   add stories in six other languages
  --help            print this text

Settings (environment variables):
  PORT              port of the API, the dashboard and the documentation; default 8080
  INTERNAL_PORT     port of the internal listener, for operators and publishers; default 8081

Examples:
  ${command} --all-languages
  PORT=9000 INTERNAL_PORT=9001 ${command}

docs/settings.md describes all settings. The demo ignores those of databases, emails and payments.`;

/** The options of the demo, or the fault in them. */
export function readDemoOptions(parameters: readonly string[]): DemoOptions | { readonly fault: string } {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        'all-languages': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return { help: values.help, otherLanguages: values['all-languages'] };
  } catch (error) {
    return {
      fault: `${error instanceof Error ? error.message : error}. The options are --all-languages and --help.`,
    };
  }
}
