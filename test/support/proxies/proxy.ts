import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { supervise } from '../../../src/adapters/postgres-server/supervised-process.js';
import { distributionProgram, type Program } from '../packages/distribution-program.js';
import { isOpen } from '../servers/open-port.js';
import { reservedPort } from '../servers/reserved-port.js';
import { until } from '../until.js';
import { type Certificate, certificateIn } from './certificate.js';

export const CADDYFILE = resolve('ops/caddy/Caddyfile');
export const NGINX_CONFIGURATION = resolve('ops/nginx/oddswire.conf');

/** A proxy that runs with the configuration of `ops/`. */
export type ReverseProxy = {
  readonly url: string;
  /** The address without encryption. */
  readonly plainUrl: string;
  /** The certificate of `url`. */
  readonly ca: string;
  /** Everything that the proxy has written so far. */
  readonly logs: () => string;
  readonly stop: () => Promise<void>;
};

/** What a configuration is run with. */
type Run = {
  readonly folder: string;
  /** The addresses of the instances. */
  readonly upstreams: readonly string[];
  readonly port: number;
  readonly plainPort: number;
  readonly certificate: Certificate;
};

type Command = { readonly command: readonly string[]; readonly environment: NodeJS.ProcessEnv };

const CADDY = { name: 'caddy', inPackage: 'caddy', path: 'usr/bin/caddy' };
const NGINX = { name: 'nginx', inPackage: 'nginx', path: 'usr/sbin/nginx' };

export const startCaddy = (upstreams: readonly string[]): Promise<ReverseProxy> =>
  startProxy(upstreams, CADDY, (program, run) => ({
    command: [program.file, 'run', '--config', CADDYFILE, '--adapter', 'caddyfile'],
    environment: {
      HOME: run.folder,
      ODDSWIRE_CADDY_ADMIN: 'off',
      ODDSWIRE_HOST: 'localhost',
      ODDSWIRE_HTTP_PORT: String(run.plainPort),
      ODDSWIRE_HTTPS_PORT: String(run.port),
      ODDSWIRE_TLS: `${run.certificate.certificateFile} ${run.certificate.keyFile}`,
      ODDSWIRE_UPSTREAMS: run.upstreams.join(' '),
    },
  }));

export const startNginx = (upstreams: readonly string[]): Promise<ReverseProxy> =>
  startProxy(upstreams, NGINX, (program, run) => {
    writeFileSync(join(run.folder, 'oddswire.conf'), configurationFor(run));
    writeFileSync(join(run.folder, 'nginx.conf'), nginxConfiguration(run.folder));
    const { folder } = run;
    return {
      command: [
        program.file,
        '-p',
        folder,
        '-c',
        join(folder, 'nginx.conf'),
        '-e',
        join(folder, 'start.log'),
      ],
      environment: {},
    };
  });

/** The file of `ops/` with other addresses, ports and paths. IPv6 is left out, because a machine may not have it. */
function configurationFor({ folder, upstreams, port, plainPort, certificate }: Run): string {
  const given = readFileSync(NGINX_CONFIGURATION, 'utf8');
  const [one = '', other = one] = upstreams;
  return given
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('oddswire.example.com', 'localhost')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
    .replace('127.0.0.1:8080', one)
    .replace('127.0.0.1:8090', other)
    .replace('/etc/ssl/oddswire/certificate.pem', certificate.certificateFile)
    .replace('/etc/ssl/oddswire/key.pem', certificate.keyFile)
    .replaceAll('/var/log/nginx/', `${folder}/logs/`);
}

/** The main file around it, with settings of Debian that `oddswire.conf` must override: compression and the access log. */
function nginxConfiguration(folder: string): string {
  mkdirSync(join(folder, 'logs'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n  ');
  const user = process.getuid?.() === 0 ? 'user root root;' : '';
  return `${user}
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/logs/main.log notice;
worker_processes 2;
events { worker_connections 1024; }
http {
  ${temporary}
  gzip on;
  gzip_types application/json text/event-stream;
  access_log ${folder}/logs/main-access.log;
  include ${folder}/oddswire.conf;
}
`;
}

async function startProxy(
  upstreams: readonly string[],
  wanted: typeof CADDY,
  commandOf: (program: Program, run: Run) => Command,
): Promise<ReverseProxy> {
  const program = distributionProgram(wanted);
  if (program === undefined)
    throw new Error(`${wanted.name} was not found: install it with \`apt-get install ${wanted.inPackage}\``);
  const folder = mkdtempSync(join(tmpdir(), `oddswire-${wanted.name}-`));
  const [port, plainPort] = [await reservedPort(), await reservedPort()];
  const certificate = certificateIn(folder);
  const { command, environment } = commandOf(program, { folder, upstreams, port, plainPort, certificate });
  const server = await supervise(command, {
    folder,
    log: join(folder, 'output.log'),
    signal: 'TERM',
    user: {},
    environment: { ...program.environment, ...environment },
  });
  const url = `https://localhost:${port}`;
  await until(true, async () => {
    if (!server.isRunning()) throw new Error(`${wanted.name} did not start: ${server.log()}`);
    return isOpen(url);
  });
  return {
    url,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    ca: certificate.ca,
    logs: () => logsIn(folder),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const logsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
