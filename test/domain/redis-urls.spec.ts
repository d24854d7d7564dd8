import { expect } from 'chai';
import { atAddress, redisServers, redisUrls, redisUrlsFault } from '../../src/domain/redis-urls.js';

/** D75. */
describe('The URLs of REDIS_URL', () => {
  const serversOf = (setting: string) => redisServers(redisUrls(setting));
  const faultOf = (setting: string) => redisUrlsFault(redisUrls(setting));

  it('name one server, or the nodes of a cluster', () => {
    expect(serversOf('redis://a/1')).to.deep.equal({ kind: 'server', url: 'redis://a/1' });
    expect(serversOf('redis://a,rediss://b:1')).to.deep.equal({
      kind: 'cluster',
      urls: ['redis://a', 'rediss://b:1'],
    });
  });

  it('name Sentinels, each with the port 26379 by default', () => {
    expect(serversOf('redis+sentinel://a,b:1,[::1]:2/main')).to.deep.equal({
      kind: 'sentinel',
      name: 'main',
      sentinels: ['redis://a:26379', 'redis://b:1', 'redis://[::1]:2'],
      primary: 'redis://host/',
    });
  });

  it('have credentials for the servers, and others for the Sentinels as parameters', () => {
    const setting =
      'rediss+sentinel://me:a%2Cb,@a,b/main?db=3&sentinel_username=s&sentinel_password=%40%2F%2B';
    expect(faultOf(setting)).to.equal(null);
    expect(serversOf(setting)).to.deep.include({
      sentinels: ['rediss://s:%40%2F%2B@a:26379', 'rediss://s:%40%2F%2B@b:26379'],
      primary: 'rediss://me:a%2Cb,@host/3',
    });
  });

  for (const [setting, fault] of [
    ['redis://a/x', /number of a database/],
    ['redis+sentinel://a', /name of the primary as its path/],
    ['redis+sentinel://a/', /name of the primary as its path/],
    ['redis+sentinel://a/x,redis+sentinel://b/x', /name of the primary as its path/],
    ['redis://a,redis+sentinel://b/x', /name of the primary as its path/],
    ['redis+sentinel://a/x?db=y', /no other parameters than db=number/],
    ['redis+sentinel://a/x?role=master', /no other parameters than db=number/],
  ] as const)
    it(`have a fault: ${setting}`, () => {
      expect(faultOf(setting)).to.match(fault);
    });

  it('lead to another address with the same credentials and database', () => {
    expect(atAddress('redis://u:p@host/2', '10.0.0.1', 7000)).to.equal('redis://u:p@10.0.0.1:7000/2');
    expect(atAddress('rediss://host:1', '::1', 7000)).to.equal('rediss://[::1]:7000');
  });
});
