import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { agentOf, type Agent } from '../../../../../src/agent/agent.ts';
import { performInThread } from '../../../../../src/agent/host/runs/perform-in-thread.ts';
import { STOPPED_BY_PERSON } from '../../../../../src/jobs/interruption.ts';
import type { Progress } from '../../../../../src/jobs/progress.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { DAY } from '../../../../../src/model/units.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

let fixture: HandlerFixture;
let agent: Agent;
beforeEach(async () => {
  fixture = new HandlerFixture();
  onTestFinished(() => fixture.close());
  agent = agentOf(fixture.parts, performInThread);
  fixture.write('docs/a');
  const roots = [fixture.path('docs')];
  await agent.setup({ destination: { kind: 'folder', directory: fixture.path('backups') } });
  await agent.addSet({ form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false } });
});

test('a run in a thread tells of its job and its progress, and is recorded with what it is given', async () => {
  // The thread has a clock of its own, by which it can be told from this one.
  fixture.advance(DAY);
  const jobs: number[] = [];
  const shown: Progress[] = [];
  const { restorePoint } = await agent.backup(
    { set: 'docs' },
    { trigger: 'person', onJob: (id) => jobs.push(id), onProgress: (progress) => shown.push(progress) },
  );
  expect(shown.at(-1)).toMatchObject({ kind: 'backup', phase: 'committing' });
  using catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
  const [job] = catalog.read(({ journal }) => journal.list({ backupSet: 'docs' }, 10));
  expect(job).toMatchObject({ id: jobs[0], trigger: 'person', state: 'succeeded' });
  expect(job?.startedAt).toBeLessThan(fixture.parts.clock.now() - DAY / 2);
  expect((await agent.points({ set: 'docs' })).map(({ restore_point: time }) => time)).toEqual([restorePoint]);
});

test('its signal ends a run in a thread for the reason that it is given', async () => {
  const stop = new AbortController();
  const run = { signal: stop.signal, onJob: () => stop.abort(STOPPED_BY_PERSON) };
  await expect(agent.backup({ set: 'docs' }, run)).rejects.toMatchObject({ code: 'interrupted' });
  using catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
  expect(catalog.read(({ journal }) => journal.list({}, 10))).toMatchObject([{ state: 'cancelled' }]);
});

test('a failure in a thread arrives with its code and its details', async () => {
  await expect(agent.backup({ set: 'music' }, {})).rejects.toMatchObject({
    code: 'set_unknown',
    details: { set: 'music', known: ['docs'] },
  });
});
