/** A failure that is told in one line: what was wrong, and what to do. */
export class BenchFailure extends Error {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const undone = [];
let ending = null;

/** Registers what undoes a step of the bench. Steps are undone last first, at the end and on Ctrl-C alike. */
export function atEnd(undo) {
  undone.push(undo);
}

/**
 * Runs a bench. However it ends, all that was started is stopped and every temporary folder removed before the process
 * exits. npm passes on a signal that the terminal has sent as well, so each may come twice: the second changes nothing.
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
    // What was stopped by a signal fails in many ways, none of which matters.
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
