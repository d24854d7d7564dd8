import type { Service } from './running-service.js';

/** Few requests at a time, so that no script is late because this machine is busy. */
const AT_ONCE = 8;

/** The number of admitted requests of `requests`, sent to the instances in turn. */
export async function admittedOf(
  { instances }: Pick<Service, 'instances'>,
  key: string,
  requests: number,
): Promise<number> {
  let sent = 0;
  let admitted = 0;
  const sender = async () => {
    while (sent < requests) {
      const url = instances[sent % instances.length]?.url;
      sent += 1;
      const reply = await fetch(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } });
      await reply.arrayBuffer();
      if (reply.status === 200) admitted += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return admitted;
}

/** Resolves when `/readyz` of every instance says that nothing is degraded. */
export async function untilReady({ instances }: Pick<Service, 'instances'>): Promise<void> {
  const isReady = async (url: string) => {
    const reply = await fetch(`${url}/readyz`);
    return ((await reply.json()) as { readonly status: string }).status === 'ready';
  };
  for (const { internalUrl } of instances) while (!(await isReady(internalUrl))) await pause();
}

const pause = () => new Promise((done) => setTimeout(done, 20));
