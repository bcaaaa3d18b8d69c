import { afterEach, beforeEach, expect, test } from 'vitest';
import { HandlerFixture } from '../../unit/agent/host/handler-fixture.ts';
import { Workplace } from '../e2e/workplace.ts';
import { keepThreads } from '../../helpers/kept-threads.ts';

keepThreads();

const YEARS = 3650 * 24 * 3_600_000;
const HOUR = 3_600_000;

let fixture: HandlerFixture;
let place: Workplace;
/** Times of the restore points, oldest first. The second one is of a clock that was ahead. */
let times: readonly string[];

/** One restore point an hour, of which one says that it was made in ten years. */
beforeEach(async () => {
  fixture = new HandlerFixture();
  place = new Workplace();
  const destination = { kind: 'folder', directory: fixture.path('backups') } as const;
  await fixture.agent.setup({ destination, deviceName: 'laptop' });
  fixture.write('docs/kept');
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
  fixture.advance(-5 * HOUR);
  const made: string[] = [];
  for (const ahead of [0, YEARS, 0, 0]) {
    fixture.advance(HOUR + ahead);
    fixture.write('docs/changed', `version ${made.length}`);
    if (made.length === 2) fixture.write('docs/late');
    await fixture.agent.backup({ set: 'docs' }, {});
    const [newest] = await fixture.agent.points({ set: 'docs' });
    made.push(newest!.restore_point);
    fixture.advance(-ahead);
  }
  times = made;
});
afterEach(() => {
  place[Symbol.dispose]();
  fixture.close();
});

async function lines(...words: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await place.runAt(fixture.home.folder, words);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout.trimEnd().split('\n');
}

const YEAR_AHEAD = String(new Date(Date.now() + YEARS).getFullYear());

/** Rows without the names of the restore points, which are their own times. The run of the wrong clock says nothing better. */
const timesIn = (rows: readonly string[]): string =>
  rows
    .filter((row) => !row.includes(times[1]!))
    .map((row) => times.reduce((rest, time) => rest.replaceAll(time, ''), row))
    .join('\n');

test.each([
  ['status'],
  ['points', 'docs'],
  ['find', 'docs', 'late'],
  ['diff', 'docs'],
  ['retention', 'preview', 'docs', '--daily', '1'],
])('after a clock that was ahead, %s says when restore points were made', async (...words) => {
  const rows = await lines(...words);
  expect(times[1]).toContain(YEAR_AHEAD);
  const isNamed = words[0] === 'points' || words[0] === 'retention';
  expect(isNamed ? timesIn(rows) : rows.join('\n')).not.toContain(YEAR_AHEAD);
});

test('versions say when they were backed up, and the restore point for --at', async () => {
  const path = fixture.path('docs', 'changed');
  const rows = await lines('versions', 'docs', path);
  expect(timesIn(rows)).not.toContain(YEAR_AHEAD);
  expect(rows.slice(1).map((row) => times.findIndex((time) => row.includes(time)))).toEqual([3, 2, 1, 0]);
  const { versions } = await place
    .runAt(fixture.home.folder, ['--json', 'versions', 'docs', path])
    .then(({ stdout }) => JSON.parse(stdout) as { readonly versions: readonly { readonly to: string }[] });
  const hours = versions.map((version) => {
    const { to, to_completed_at: completed = to } = version as {
      readonly to: string;
      readonly to_completed_at?: string;
    };
    return Math.round((Date.parse(completed) - Date.now()) / HOUR);
  });
  expect(hours).toEqual([-1, -2, -3 + YEARS / HOUR, -4]);
});

test('times select restore points by when they were made', async () => {
  const between = new Date(Date.now() - 1.5 * HOUR).toISOString().replace(/\.\d+Z$/, 'Z');
  const { stdout } = await place.runAt(fixture.home.folder, ['--json', 'diff', 'docs', '--to', between]);
  expect(JSON.parse(stdout)).toMatchObject({ from: times[1], to: times[2] });
});
