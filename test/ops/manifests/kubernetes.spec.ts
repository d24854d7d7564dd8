import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { readConfig } from '../../../src/settings/config.js';

type Labels = Readonly<Record<string, string>>;
type Probe = {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
};
type Container = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly object[];
  readonly envFrom?: readonly {
    readonly secretRef?: { readonly name: string };
    readonly configMapRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: object;
  readonly resources: { readonly requests: object; readonly limits: Readonly<Record<string, string>> };
};
type PodTemplate = {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly securityContext: object;
    readonly terminationGracePeriodSeconds: number;
    readonly automountServiceAccountToken: boolean;
  };
};
type Port = { readonly name: string; readonly port: string; readonly targetPort: string };
/** A rendered document, as far as the tests read it. */
type Manifest = {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly selector: Labels & { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly template: PodTemplate;
    readonly ports: readonly Port[];
    readonly maxUnavailable: number;
    readonly ingress: readonly { readonly from?: readonly object[]; readonly ports: readonly Port[] }[];
    readonly rules: readonly { readonly http: { readonly paths: readonly { readonly backend: object }[] } }[];
  };
};

/** The time that the service needs for a shutdown after DRAIN_DELAY_MS. */
const SHUTDOWN_SECONDS = 22;
const OVERLAY = resolve('ops/kubernetes/overlays/example');

/** Renders with Kustomize, and converts to JSON without a cluster. */
function rendered(folder: string): readonly Manifest[] {
  const yaml = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  const convert = ['annotate', '--local', '--filename', '-', 'checked=true', '--output', 'json'];
  const json = execFileSync('kubectl', convert, { input: yaml, encoding: 'utf8' });
  return JSON.parse(`[${json.trim().replaceAll('\n}\n{', '\n},\n{')}]`) as readonly Manifest[];
}

const isSubset = (subset: object, whole: object): boolean =>
  Object.entries(subset).every(([name, value]) => (whole as Labels)[name] === value);

describe('The manifests for Kubernetes', () => {
  let all: readonly Manifest[];
  before(function () {
    if (onPath('kubectl').length === 0) {
      console.log('      skipped: kubectl is not installed');
      this.skip();
    }
    all = rendered(OVERLAY);
  });

  const only = (kind: string, name = 'oddswire'): Manifest => {
    const found = all.find((one) => one.kind === kind && one.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name} was rendered`);
    return found;
  };
  const server = (): Container => containerOf(only('Deployment'));
  const containerOf = ({ spec }: Manifest): Container => {
    const [container] = spec.template.spec.containers;
    if (container === undefined) throw new Error('the pod has no container');
    return container;
  };

  it('render in the namespace of the overlay, with its image and number of replicas', () => {
    const outside = all.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'oddswire',
    );
    expect(outside.map(({ kind }) => kind)).to.deep.equal([]);
    expect(server().image).to.equal('registry.example.com/oddswire:0.2.0');
    expect(only('Deployment').spec.replicas).to.equal(4);
    expect(only('PodDisruptionBudget').spec.maxUnavailable).to.be.below(4);
    expect(rendered(resolve('ops/kubernetes/base'))).to.have.length(all.length - 2);
  });

  it('select the pods of the deployment, and not those of the migration', () => {
    const { labels } = only('Deployment').spec.template.metadata;
    const selectors = [
      only('Deployment').spec.selector.matchLabels,
      only('PodDisruptionBudget').spec.selector.matchLabels,
      only('NetworkPolicy').spec.podSelector.matchLabels,
      only('Service').spec.selector,
      only('Service', 'oddswire-internal').spec.selector,
    ];
    for (const selector of selectors) {
      expect(Object.keys(selector).length).to.be.above(0);
      expect(isSubset(selector, labels), JSON.stringify(selector)).to.equal(true);
      expect(isSubset(selector, only('Job', 'oddswire-migration').spec.template.metadata.labels)).to.equal(
        false,
      );
    }
  });

  it('use the ports of the settings, everywhere by name', () => {
    const settings = only('ConfigMap').data;
    const ports = Object.fromEntries(
      (server().ports ?? []).map(({ name, containerPort }) => [name, containerPort]),
    );
    expect(ports).to.deep.equal({
      public: Number(settings['PORT']),
      internal: Number(settings['INTERNAL_PORT']),
    });
    const probes = [server().livenessProbe?.httpGet, server().readinessProbe?.httpGet];
    expect(probes).to.deep.equal([
      { path: '/livez', port: 'internal' },
      { path: '/readyz', port: 'internal' },
    ]);
    expect(only('Service').spec.ports.map(({ targetPort }) => targetPort)).to.deep.equal(['public']);
    const [backend] = only('Ingress').spec.rules[0]?.http.paths ?? [];
    expect(backend?.backend).to.deep.equal({ service: { name: 'oddswire', port: { name: 'public' } } });
  });

  it('log no query of a request, because it can have a key', () => {
    const { annotations } = only('Ingress').metadata;
    expect(annotations?.['nginx.ingress.kubernetes.io/enable-access-log']).to.equal('false');
  });

  it('open the internal port only to chosen namespaces', () => {
    const open = only('NetworkPolicy').spec.ingress.filter(({ from }) => from === undefined);
    expect(open.map(({ ports }) => ports.map(({ port }) => port))).to.deep.equal([['public']]);
  });

  it('have settings that the service accepts, and runs no migration in a replica', () => {
    const warnings: string[] = [];
    const secrets = { DATABASE_URL: 'postgres://a@b/c', REDIS_URL: 'redis://redis:6379' };
    const settings = readConfig({ ...only('ConfigMap').data, ...secrets }, (line) => warnings.push(line));
    expect('faults' in settings ? settings.faults : [], 'faults').to.deep.equal([]);
    expect(warnings).to.deep.equal([]);
    expect(only('ConfigMap').data['MIGRATE']).to.equal('off');
    const migration = containerOf(only('Job', 'oddswire-migration'));
    expect(migration.command?.at(-1)).to.equal('dist/src/commands/migrate.js');
  });

  it('have every secret by reference', () => {
    const references = (server().envFrom ?? []).map(({ secretRef }) => secretRef?.name);
    expect(references).to.include('oddswire');
    expect(all.map(({ kind }) => kind)).not.to.include('Secret');
    const folder = resolve('ops/kubernetes');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.yaml'),
    );
    const values = files.flatMap((name) =>
      [
        ...readFileSync(join(folder, name), 'utf8').matchAll(
          /^[^#]*\b\w*(?:TOKEN|SECRET|PASSWORD|_URL): .*$/gm,
        ),
      ].map(([line]) => line),
    );
    expect(values).to.deep.equal([]);
  });

  it('wait longer for the shutdown than the service needs, and take it out of the balancer before', () => {
    const drainSeconds = Number(only('ConfigMap').data['DRAIN_DELAY_MS']) / 1_000;
    const { terminationGracePeriodSeconds } = only('Deployment').spec.template.spec;
    expect(terminationGracePeriodSeconds).to.be.above(drainSeconds + SHUTDOWN_SECONDS);
    expect(server().readinessProbe?.periodSeconds).to.be.below(drainSeconds / 2);
  });

  it('restrict every pod: no root, a read-only file system, no capabilities, no token of the cluster', () => {
    for (const pod of [only('Deployment'), only('Job', 'oddswire-migration')]) {
      const { spec } = pod.spec.template;
      expect(spec.securityContext).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.automountServiceAccountToken).to.equal(false);
      expect(containerOf(pod).securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containerOf(pod).resources.requests).to.have.all.keys('cpu', 'memory');
      expect(containerOf(pod).resources.limits).to.have.all.keys('memory');
    }
  });
});
