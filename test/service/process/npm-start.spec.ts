import { once } from 'node:events';
import { expect } from 'chai';
import { isOpen } from '../../support/servers/open-port.js';
import { isRunning, tree } from '../../support/service/process-tree.js';
import { type Instance, launchNpm } from '../../support/service/running-service.js';

describe('npm', function () {
  this.timeout(60_000);
  let instance: Instance;
  let processes: readonly number[];
  const start = async (...args: readonly string[]) => {
    instance = await launchNpm(args, { LOG_LEVEL: 'info', DRAIN_DELAY_MS: '200' }).listening;
    processes = tree(instance.process.pid ?? 0);
    expect(processes.length).to.be.at.least(2);
  };
  afterEach(() => {
    for (const pid of processes.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });

  /** Expects that npm exited with 0, none of its processes runs, and both ports are free. */
  const expectNothingLeft = async (exit: Promise<unknown[]>) => {
    expect(await exit).to.deep.equal([0, null]);
    expect(processes.filter(isRunning)).to.deep.equal([]);
    expect([await isOpen(instance.url), await isOpen(instance.internalUrl)]).to.deep.equal([false, false]);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`start passes ${signal} on to the service, and leaves no process and no open port (T21)`, async () => {
      await start('start');
      const exit = once(instance.process, 'exit');
      instance.process.kill(signal);
      await expectNothingLeft(exit);
    });

    it(`start shuts down cleanly when the whole process group gets ${signal}, as with Ctrl-C (T21)`, async () => {
      await start('start');
      const exit = once(instance.process, 'exit');
      process.kill(-(instance.process.pid ?? 0), signal);
      await expectNothingLeft(exit);
    });
  }

  it('run demo passes SIGTERM on to the demo, and leaves no process and no open port (T21)', async () => {
    await start('run', 'demo');
    const exit = once(instance.process, 'exit');
    instance.process.kill('SIGTERM');
    await expectNothingLeft(exit);
  });
});
