import { expect } from 'chai';
import type { DestinationState } from '../../../src/domain/destinations/destination-state.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { aDestination, stepOf } from '../../support/destinations/destinations.js';
import { accepted } from '../../support/objects/builders.js';
import { START } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';

const PATH = '/operator/destinations';

describe('The operator console', () => {
  const { service, holder, operator, home, lastEntry } = operatorConsole();
  const created = async (label: string) => {
    const { account } = holder();
    const fresh = { ...aDestination(), label: label as Label, filter: 'q=rain' };
    const { id } = accepted(await service().parts.createDestination(account, fresh, 'test'));
    await service().parts.changeDestination(account, id, { event: 'tested' }, { actor: 'test' });
    return id;
  };
  const stateOf = async (id: Awaited<ReturnType<typeof created>>) =>
    (await service().parts.destinations.find(id))?.destination.state;
  const record = async (id: Awaited<ReturnType<typeof created>>, state: DestinationState) => {
    const { destinations, heldJobs } = service().parts;
    const stored = (await destinations.find(id)) ?? expect.fail();
    await heldJobs.renew();
    await destinations.record(heldJobs.holder, [stepOf(stored, { state })]);
  };

  it('lists the destinations of all accounts, failing ones first, then disabled ones', async () => {
    await created('Healthy');
    const ended = await created('Ended');
    const failing = await created('Broken');
    await record(ended, { status: 'disabled', cause: 'gone', at: START, reason: null });
    await record(failing, { status: 'failing', since: START, tries: 4, nextAt: plus(START, HOUR) });
    const page = await (await operator()).open(PATH);
    const labels = [...page.html.matchAll(/<th scope="row">(\w+)/g)].map(([, label]) => label);
    expect(labels.slice(0, 3)).to.deep.equal(['Broken', 'Ended', 'Healthy']);
    expect(page.text)
      .to.include('Failing since 12:00, 4 failed tries.')
      .and.include('The receiver answered 410 Gone.')
      .and.include('hooks.example.org …4f2a q: rain');
  });

  it('disables a destination with a reason, which its owner sees, and enables it', async () => {
    const id = await created('Spam');
    const person = await operator();
    const done = await does(person, `${PATH}/${id}/acts/disable`, 'a complaint');
    expect(done.text).to.include('The destination is disabled.').and.include('Reason: a complaint');
    expect(await stateOf(id)).to.deep.include({
      status: 'disabled',
      cause: 'operator',
      reason: 'a complaint',
    });
    expect(await lastEntry()).to.deep.include({ event: 'destination_disabled', actor: 'operator' });
    expect((await lastEntry())?.reason).to.include('a complaint');
    const account = await person.open(`${home()}/destinations`);
    expect(account.text).to.include('Destinations, oldest first').and.include('Spam').and.include('Enable');
    await does(person, `${PATH}/${id}/acts/enable`, 'settled');
    expect((await stateOf(id))?.status).to.equal('active');
  });

  it('changes nothing without a reason, twice, or for an unknown destination', async () => {
    const id = await created('Kept');
    const person = await operator();
    await person.open(`${PATH}/${id}/acts/disable`);
    const empty = await person.submit(`${PATH}/${id}/acts/disable`, { reason: ' ' });
    expect([empty.status, empty.html.includes('reason-fault')]).to.deep.equal([400, true]);
    const early = await person.submit(`${PATH}/${id}/acts/enable`, { reason: 'none' });
    expect([early.status, early.html.includes('role="alert"')]).to.deep.equal([409, true]);
    expect((await stateOf(id))?.status).to.equal('active');
    expect((await person.open(`${PATH}/${id}/acts/enable`)).text).to.include('Destinations of all accounts');
    for (const path of [`${PATH}/dst_of_nobody/acts/disable`, `${PATH}/${id}/acts/remove`])
      expect((await person.open(path)).status).to.equal(404);
  });

  it('has an account without destinations', async () => {
    expect((await (await operator()).open(`${home()}/destinations`)).text).to.include('No destinations.');
  });
});
