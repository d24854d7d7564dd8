// Changes package.json for the build of the image: it keeps only the development packages that compile the service. The
// build then downloads no browser and no test tools. `npm ci` still takes the versions and hashes of package-lock.json.
// Of the optional packages it keeps those whose types the compiler needs; `--with-optional` keeps all of them.
import { readFileSync, writeFileSync } from 'node:fs';

/** `libsql` has the types of an example, which is compiled too. The build makes the font of the pages. */
const COMPILES =
  /^(?:typescript|esbuild|subset-font|@fontsource-variable\/.+|@types\/.+|libsql|@opentelemetry\/.+)$/;

const { devDependencies, optionalDependencies, ...manifest } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const compiling = (packages) =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => COMPILES.test(name)));
const isWithOptional = process.argv.includes('--with-optional');
writeFileSync(
  'package.json',
  JSON.stringify({
    ...manifest,
    devDependencies: compiling(devDependencies),
    optionalDependencies: isWithOptional ? optionalDependencies : compiling(optionalDependencies),
  }),
);
