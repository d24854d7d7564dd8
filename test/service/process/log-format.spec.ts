import { expect } from 'chai';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { type Launched, launchInstance, launchOnTerminal } from '../../support/service/running-service.js';

const LISTENING = /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] INFO: listening \{"port":\d+,"internal_port":\d+\}$/;

describe('The log on standard output', function () {
  this.timeout(60_000);
  let launched: Pick<Launched, 'line' | 'output' | 'stop'>;
  afterEach(() => launched.stop());

  it('has readable lines on a terminal, including the last one', async () => {
    launched = launchOnTerminal({});
    expect(await launched.line('INFO: listening')).to.match(LISTENING);
    await launched.stop();
    expect(await launched.line('INFO: stopped')).to.match(/^\[[^\]]+\] INFO: stopped$/);
    expect(launched.output.filter((line) => line.startsWith('{'))).to.deep.equal([]);
  });

  it('has readable lines on a terminal from several workers and their supervisor', async () => {
    const shared = { DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() };
    launched = launchOnTerminal({ ...shared, WEB_CONCURRENCY: '2' });
    for (const worker of [1, 2]) {
      const line = await launched.line(`"worker":${worker},"port"`);
      expect(line).to.match(/^\[[^\]]+\] INFO: listening \{"worker":\d,"port":\d+,"internal_port":\d+\}$/);
    }
    expect(await launched.line('all workers accept requests')).to.match(
      /^\[[^\]]+\] INFO: all workers accept requests \{.*"workers":2\}$/,
    );
    expect(launched.output.filter((line) => line.startsWith('{'))).to.deep.equal([]);
  });

  it('is JSON on a terminal with LOG_FORMAT=json', async () => {
    launched = launchOnTerminal({ LOG_FORMAT: 'json' });
    const line = await launched.line('listening"');
    expect(JSON.parse(line)).to.include({ level: 30, msg: 'listening' });
  });

  it('is JSON if standard output is not a terminal', async () => {
    launched = launchInstance({});
    expect(JSON.parse(await launched.line('listening"'))).to.include({ level: 30, msg: 'listening' });
    await launched.line('Oddswire listens on');
    const others = launched.output.filter((line) => !line.startsWith('{') && !line.startsWith('Oddswire'));
    expect(others).to.deep.equal([]);
  });

  it('has readable lines with LOG_FORMAT=pretty, also if standard output is not a terminal', async () => {
    launched = launchInstance({ LOG_FORMAT: 'pretty' });
    expect(await launched.line('listening')).to.match(LISTENING);
  });
});
