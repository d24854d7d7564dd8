// Writes the wheel of the Python client (D137): a ZIP file with the package and its metadata (PEP 427). It uses only Node, so that the
// build needs no Python. The same sources give the same bytes: the entries are sorted, have one time, and are not compressed.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const PACKAGE = 'packages/python';
/** 1 January 1980 at 0:00, the first time that ZIP has. */
const DOS_DATE = 33;
const VERSION_NEEDED = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION_NEEDED;
const REGULAR_FILE = (0o100644 << 16) >>> 0;
const IS_UTF8 = 1 << 11;

/** Writes the wheel into a folder, and returns its name. */
export function writeWheel(folder) {
  const version = pythonVersion(JSON.parse(readFileSync('package.json', 'utf8')).version);
  const name = `oddswire-${version}-py3-none-any.whl`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}`, zipOf(entriesOf(version)));
  return name;
}

/** The version of npm as Python writes it (PEP 440): `0.3.0-dev` is `0.3.0.dev0`, and `0.3.0-rc.1` is `0.3.0rc1`. */
export function pythonVersion(version) {
  const [, release, kind, number = '0'] =
    /^(\d+\.\d+\.\d+)(?:-(dev|alpha|beta|rc)\.?(\d+)?)?$/.exec(version) ?? [];
  if (release === undefined) throw new Error(`package.json has a version that Python has not: ${version}`);
  const before = { dev: '.dev', alpha: 'a', beta: 'b', rc: 'rc' };
  return kind === undefined ? release : `${release}${before[kind]}${number}`;
}

function entriesOf(version) {
  const info = `oddswire-${version}.dist-info`;
  const sources = readdirSync(`${PACKAGE}/oddswire`)
    .filter((file) => /\.py$|^py\.typed$/.test(file))
    .map((file) => [`oddswire/${file}`, readFileSync(`${PACKAGE}/oddswire/${file}`)]);
  const texts = {
    METADATA: metadata(version),
    WHEEL: 'Wheel-Version: 1.0\nGenerator: oddswire\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'entry_points.txt': '[console_scripts]\noddswire = oddswire.__main__:main\n',
    'licenses/LICENSE': readFileSync(`${PACKAGE}/LICENSE`),
  };
  const described = Object.entries(texts).map(([file, text]) => [`${info}/${file}`, Buffer.from(text)]);
  const entries = [...sources.sort(byName), ...described.sort(byName)];
  const lines = entries.map(([file, content]) => `${file},sha256=${hashOf(content)},${content.length}\n`);
  return [...entries, [`${info}/RECORD`, Buffer.from(`${lines.join('')}${info}/RECORD,,\n`)]];
}

const byName = ([a], [b]) => (a < b ? -1 : 1);
const hashOf = (content) => createHash('sha256').update(content).digest('base64url');

/** From pyproject.toml, which has one line for each field that is used here. */
function metadata(version) {
  const project = readFileSync(`${PACKAGE}/pyproject.toml`, 'utf8');
  const field = (name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(project)?.[1];
  return [
    'Metadata-Version: 2.4',
    `Name: ${field('name')}`,
    `Version: ${version}`,
    `Summary: ${field('description')}`,
    `License-Expression: ${field('license')}`,
    'License-File: LICENSE',
    'Classifier: Typing :: Typed',
    `Requires-Python: ${field('requires-python')}`,
    'Provides-Extra: frames',
    'Requires-Dist: pandas; extra == "frames"',
    'Description-Content-Type: text/markdown',
    '',
    readFileSync(`${PACKAGE}/README.md`, 'utf8'),
  ].join('\n');
}

/** A ZIP file whose entries are stored without compression. */
function zipOf(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [file, content] of entries) {
    const name = Buffer.from(file);
    const common = commonFields(name, content);
    const local = Buffer.concat([bytes([0x04034b50, 4]), common, name, content]);
    const central = [
      [0, 2],
      [0, 2],
      [0, 2],
      [REGULAR_FILE, 4],
      [offset, 4],
    ];
    directory.push(bytes([0x02014b50, 4], [MADE_ON_UNIX, 2]), common, bytes(...central), name);
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = entries.length;
  const end = [
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [listed.length, 4],
    [offset, 4],
    [0, 2],
  ];
  return Buffer.concat([...parts, listed, bytes(...end)]);
}

/** What an entry says before its content and in the directory. */
const commonFields = (name, content) =>
  bytes(
    [VERSION_NEEDED, 2],
    [IS_UTF8, 2],
    [0, 2],
    [0, 2],
    [DOS_DATE, 2],
    [crc32(content), 4],
    [content.length, 4],
    [content.length, 4],
    [name.length, 2],
    [0, 2],
  );

/** Numbers with their lengths, the lowest byte first. */
function bytes(...fields) {
  return Buffer.concat(
    fields.map(([value, length]) => {
      const buffer = Buffer.alloc(length);
      buffer.writeUIntLE(value, 0, length);
      return buffer;
    }),
  );
}
