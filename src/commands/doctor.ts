import { doctorCommand } from '../doctor/doctor-command.js';
import { loadEnvFile } from '../settings/env-file.js';
import { invocationOf } from './invocation.js';

/** `npm run doctor`: checks the settings, and every server that they name. */
await doctorCommand({
  command: invocationOf('doctor'),
  args: process.argv.slice(2),
  read: () => {
    const fault = loadEnvFile(process.env);
    return fault === null ? { environment: process.env } : { fault };
  },
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
}).then((code) => {
  // A check that was late may still wait for its server. The empty text is written after all others.
  process.stdout.write('', () => process.exit(code));
});
