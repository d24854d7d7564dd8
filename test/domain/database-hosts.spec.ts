import { expect } from 'chai';
import {
  databaseHosts,
  hostText,
  needsPrimary,
  targetFault,
  withHostParameters,
} from '../../src/domain/database-hosts.js';

const SEVERAL = 'postgres://u:p@a:5433/x?host=a%2Cb&port=5433%2C5432';

describe('The hosts of a database URL (D75)', () => {
  // biome-ignore format: a table is read by its columns
  const FORMS: readonly (readonly [given: string, url: string | null])[] = [
    ['postgres://u:p@a/x',                                    'postgres://u:p@a/x'],
    ['postgres://u:p@a:5433,b/x',                             SEVERAL],
    [SEVERAL,                                                 SEVERAL],
    ['postgres://u:p@a,b/x?target_session_attrs=read-write',  'postgres://u:p@a/x?target_session_attrs=read-write&host=a%2Cb&port=5432%2C5432'],
    ['postgres://[::1]:1,b/x',                                'postgres://[::1]:1/x?host=%3A%3A1%2Cb&port=1%2C5432'],
    ['postgres://u:p,w@a/x?options=-c%20search_path=a,b',     'postgres://u:p,w@a/x?options=-c%20search_path=a,b'],
    ['postgres://a,postgres://b',                             null],
    ['postgres://a,,b/x',                                     null],
    ['postgres://a:x,b/x',                                    null],
  ];
  for (const [given, url] of FORMS)
    it(`reads ${given} as ${url}`, () => expect(withHostParameters(given)).to.equal(url));

  // biome-ignore format: a table is read by its columns
  const HOSTS: readonly (readonly [url: string, hosts: string, needsPrimary: boolean, isRefused: boolean])[] = [
    ['postgres://a/x',                                        'a:5432',         false, false],
    ['postgres://a:1/x?target_session_attrs=read-write',      'a:1',            true,  false],
    ['postgres://a/x?target_session_attrs=primary',           'a:5432',         true,  false],
    ['postgres://a/x?target_session_attrs=any',               'a:5432',         false, false],
    ['postgres://a/x?target_session_attrs=standby',           'a:5432',         false, true],
    [`${SEVERAL}&target_session_attrs=any`,                   'a:5433 b:5432',  true,  true],
    [SEVERAL,                                                 'a:5433 b:5432',  true,  false],
    ['postgres://a/x?host=a,b&port=7',                        'a:7 b:7',        true,  false],
    ['postgres://[::1]/x',                                    '[::1]:5432',     false, false],
    ['postgres://u@a/x?host=/run/postgresql',                 '/run/postgresql:5432', false, false],
  ];
  for (const [url, hosts, needs, isRefused] of HOSTS)
    it(`are ${hosts} in ${url}`, () => {
      expect(databaseHosts(url).map(hostText).join(' ')).to.equal(hosts);
      expect(needsPrimary(url)).to.equal(needs);
      expect(targetFault(url) !== null).to.equal(isRefused);
    });
});
