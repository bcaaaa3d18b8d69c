import { afterEach, beforeEach, expect, test } from 'vitest';
import { HandlerFixture } from '../../../unit/agent/host/handler-fixture.ts';

const YEARS = 3650 * 24 * 3_600_000;
const STEP = 600_000;

let fixture: HandlerFixture;
beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  fixture.write('docs/a');
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
});
afterEach(() => fixture.close());

test('restore points after a clock that was ahead are listed, pinned and removed by when they were made', async () => {
  const times: number[] = [];
  for (const ahead of [0, YEARS, 0, 0]) {
    fixture.advance(STEP + ahead);
    fixture.write('docs/a', `version ${times.length}`);
    await fixture.agent.backup({ set: 'docs' }, {});
    times.push(fixture.parts.clock.now());
    fixture.advance(-ahead);
  }
  const points = await fixture.agent.points({ set: 'docs' });
  const made = points.map(({ restore_point: time, completed_at: completed = time }) => Date.parse(completed));
  expect(made.map((time, index) => Math.abs(time - times.toReversed()[index]!) < STEP)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(points.map(({ completed_at: completed }) => completed !== undefined)).toEqual([true, true, false, false]);

  await fixture.agent.retention({ set: 'docs', action: 'pin', at: times[2]! });
  const { state } = await fixture.agent.retention({ set: 'docs', action: 'show' });
  expect(state.points.map(({ pinned }) => pinned)).toEqual([false, true, false, false]);
  // Its own time finds it, too, whatever was made since.
  await fixture.agent.retention({ set: 'docs', action: 'remove', restorePoint: points[2]!.restore_point });
  const left = await fixture.agent.points({ set: 'docs' });
  expect(left.map(({ backup_id: id }) => id)).toEqual([points[0]!, points[1]!, points[3]!].map((one) => one.backup_id));
});
