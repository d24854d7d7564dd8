// Starts a program of the tests (`test-programs` in `scripts/setup.mjs`). The first process that ends leaves the code that V8
// compiled in a file; later processes read it, and start with half of the CPU time. V8 ignores a file of another version of itself
// or of other flags; a name for each keeps them apart. A process with Postgres runs more code than one in memory.
const { createHash } = require('node:crypto');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { constants, Script } = require('node:vm');

const filename = __filename.replace(/cjs$/, 'bundle.cjs');
const kind = [
  process.version,
  process.arch,
  ...process.execArgv,
  process.env.DATABASE_URL ? 'stores' : 'memory',
];
const compiled = `${filename}.${createHash('sha1').update(kind.join()).digest('hex')}`;
const cachedData = read(compiled);
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`;
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const script = new Script(source, { filename, cachedData, importModuleDynamically });
if (cachedData === undefined) process.once('exit', keepCompiled);
script.runInThisContext()(exports, require, module, filename, __dirname);

function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // No process has ended yet.
  }
}

function keepCompiled() {
  const own = `${compiled}.${process.pid}`;
  try {
    writeFileSync(own, script.createCachedData());
    renameSync(own, compiled);
  } catch {
    // A new build has replaced the folder.
  }
}
