/** A failure that is reported in one line: the cause and the remedy, without a stack. */
export class BenchFailure extends Error {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const undone = [];
let ending = null;

/** Registers the clean-up of a step. Clean-ups run in reverse order, at the end and on Ctrl-C. */
export function atEnd(undo) {
  undone.push(undo);
}

/**
 * Runs a bench. In every case it stops all that was started and removes every temporary folder before the process exits.
 * npm forwards a signal that the terminal has also sent, so a signal can arrive twice: the second has no effect.
 */
export async function runBench(bench) {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      process.exitCode = 130;
      void end().then(() => process.exit());
    });
  }
  try {
    await bench();
  } catch (fault) {
    // Errors after a signal are the result of the clean-up and are not reported.
    if (ending === null) report(fault);
  }
  await end();
}

function end() {
  ending ??= (async () => {
    for (let undo = undone.pop(); undo !== undefined; undo = undone.pop()) {
      await Promise.resolve()
        .then(undo)
        .catch((fault) => report(fault));
    }
  })();
  return ending;
}

function report(fault) {
  const isForPeople = fault instanceof BenchFailure || String(fault?.code).startsWith('ERR_PARSE_ARGS_');
  console.error(`bench: ${isForPeople ? fault.message : fault?.stack}`);
  process.exitCode = 1;
}
