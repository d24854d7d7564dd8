import { reservedPort } from '../servers/reserved-port.js';
import {
  type Instance,
  type Launched,
  launchInstance,
  type Service,
  serviceOf,
} from '../service/running-service.js';

type Settings = Readonly<Record<string, string>>;
type Launch = (settings: Settings) => Launched;

/** Two instances that keep their ports when they are restarted with other settings. */
export type RestartableService = {
  readonly service: () => Service;
  readonly publicUrls: string;
  readonly internalUrls: string;
  /** Restarts one instance after the other with these settings in addition. `launch` starts another version. */
  readonly restart: (changed: Settings, launch?: Launch) => Promise<void>;
};

export async function startRestartableService(
  settings: Settings,
  first: Launch = launchInstance,
): Promise<RestartableService> {
  const ports = await Promise.all(
    [0, 1].map(async () => ({
      PORT: String(await reservedPort()),
      INTERNAL_PORT: String(await reservedPort()),
    })),
  );
  let all = settings;
  const instances: Instance[] = [];
  const restart: RestartableService['restart'] = async (changed, launch = first) => {
    all = { ...all, ...changed };
    for (const [n, own] of ports.entries()) {
      await instances[n]?.stop();
      instances[n] = await launch({ ...all, ...own }).listening;
    }
  };
  await restart({});
  return {
    service: () => serviceOf(...instances),
    publicUrls: ports.map(({ PORT }) => `http://127.0.0.1:${PORT}`).join(' '),
    internalUrls: ports.map(({ INTERNAL_PORT }) => `http://127.0.0.1:${INTERNAL_PORT}`).join(' '),
    restart,
  };
}
