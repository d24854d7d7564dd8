import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';
import { loadEnvFile } from '../../src/settings/env-file.js';

describe('An env file', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-env-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const load = (text: string, environment: Record<string, string | undefined>) => {
    const path = join(folder, '.env');
    writeFileSync(path, text);
    const fault = loadEnvFile(environment, path);
    return { environment, fault };
  };

  it('adds only variables that the environment does not have, even as empty ones', () => {
    const text = 'PORT=1\nHOST=2 # why\nexport MAIL_FROM="A <a@b.example>"\n#REDIS_URL=x\nSMTP_URL=3\n';
    const { environment, fault } = load(text, { PORT: '8080', SMTP_URL: '' });
    expect(fault).to.equal(null);
    expect(environment).to.deep.equal({
      PORT: '8080',
      SMTP_URL: '',
      HOST: '2',
      MAIL_FROM: 'A <a@b.example>',
    });
  });

  it('may start with a byte order mark, as editors on Windows write it', () => {
    const { environment } = load('\ufeffDATABASE_URL=postgres://db/x\r\nPORT=1\r\n', {});
    expect(environment).to.deep.equal({ DATABASE_URL: 'postgres://db/x', PORT: '1' });
  });

  it('can be a copy of .env.example, which changes no setting', () => {
    const example = readFileSync(resolve(import.meta.dirname, '../../../.env.example'), 'utf8');
    const { environment } = load(example, {});
    expect(Object.keys(environment)).to.include.members([
      'PORT',
      'MAIL_FROM',
      'OIDC_SCOPES',
      'GITHUB_API_URL',
    ]);
    expect(readConfig(environment)).to.deep.equal(readConfig({}));
  });

  it('may be missing', () => {
    const environment = { PORT: '1' };
    expect(loadEnvFile(environment, join(folder, 'none'))).to.equal(null);
    expect(environment).to.deep.equal({ PORT: '1' });
  });

  it('is named in the fault if it cannot be read', () => {
    expect(loadEnvFile({}, folder)).to.match(new RegExp(`^cannot read ${folder}: EISDIR`));
  });
});
