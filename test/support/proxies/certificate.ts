import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Certificate = {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** The certificate, for clients that trust it. */
  readonly ca: string;
};

/** Writes a certificate that signs itself. `names`: as `DNS:localhost`, separated by commas. */
export function certificateIn(folder: string, names = 'DNS:localhost'): Certificate {
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-keyout', keyFile];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-days', '2', '-out', certificateFile], {
    stdio: 'pipe',
  });
  return { certificateFile, keyFile, ca: readFileSync(certificateFile, 'utf8') };
}
