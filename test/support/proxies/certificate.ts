import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Certificate = {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** The certificate, for clients that trust it. */
  readonly ca: string;
};

/** Writes a certificate for `localhost` that signs itself. */
export function certificateIn(folder: string): Certificate {
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-keyout', keyFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '2', '-out', certificateFile], {
    stdio: 'pipe',
  });
  return { certificateFile, keyFile, ca: readFileSync(certificateFile, 'utf8') };
}
