import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SetForm } from '../../../../../src/model/set.ts';
import { COMPRESSIONS } from '../../../../../src/model/compression.ts';
import { retentionCommandLine, setCommandLine } from '../../../../../src/agent/host/sets/command-line.ts';
import { setsHandlers } from '../../../../../src/agent/host/sets/sets-handlers.ts';
import { runProgram } from '../../../../../src/cli/program.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setMethods, type RetentionForm } from '../../../../../src/ipc/contract/sets.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

let fixture: HandlerFixture;
let ask: Call<typeof setMethods>;
beforeAll(async () => {
  fixture = new HandlerFixture();
  ask = fixture.ask(setMethods, setsHandlers(fixture.host()));
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
});
afterEach(async () => {
  for (const { name } of fixture.agent.settings()?.sets ?? []) await fixture.agent.removeSet({ set: name });
});
afterAll(() => fixture.close());

const form = (more: Partial<SetForm> = {}): SetForm => ({
  name: 'docs',
  roots: [fixture.path('docs')],
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
  ...more,
});

/** Returns the arguments that a shell passes to `holdfast`. */
function wordsOf(command: string): string[] {
  const script = `set -u; holdfast() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** Executes a command line with the CLI's parser. */
async function run(command: string): Promise<{ readonly exitCode: number; readonly said: string }> {
  let said = '';
  const stream = { write: (text: string) => (said += text), isTTY: false, columns: 100 };
  const environment = { ...process.env, HOLDFAST_HOME: fixture.home.folder };
  const exitCode = await runProgram(wordsOf(command), { out: stream, err: stream } as never, environment);
  return { exitCode, said };
}

const CASES: readonly (readonly [what: string, more: Partial<SetForm>])[] = [
  ['nothing but a name and a folder', {}],
  ['a name with spaces', { name: 'My documents of 2026' }],
  ['a name with an apostrophe and quotes', { name: `Anna's "best" things` }],
  ['a name with umlauts', { name: 'Fotos für Jürgen & Söhne' }],
  ['a name in another script', { name: '写真 📷' }],
  ['a name that looks like an option', { name: '--json' }],
  ['a name that a shell would expand', { name: '$(id) `id` $HOME ~ * {a,b} !x' }],
  ['a name that begins with an equals sign', { name: '=docs' }],
  ['patterns with spaces and quotes', { excludes: ['My Cache/', `it's`, '"x"', String.raw`a\ b`] }],
  ['patterns that look like options', { excludes: ['-x', '--exclude', '--', '--home=/x'] }],
  ['patterns that a shell would expand', { excludes: ['*.tmp', '**/[Cc]ache/', '!keep*', '~', '$HOME', 'a;b', 'a|b'] }],
  ['patterns with umlauts', { excludes: ['Übungen/', 'größer*'] }],
  ['no presets', { presets: [] }],
  ['one preset', { presets: ['developer'] }],
  ['presets in an order of their own', { presets: ['virtual-machines', 'apps', 'linux'] }],
  ['every hour', { schedule: 'hourly' }],
  ['every 45 minutes', { schedule: 'every 45 minutes' }],
  ['every 24 hours', { schedule: 'every 24 hours' }],
  ['every day', { schedule: 'daily 06:05' }],
  ['working days', { schedule: 'weekdays 18:30' }],
  ['one weekday', { schedule: 'weekly sunday 00:00' }],
  ['some weekdays', { schedule: 'cron 30 18 * * 1,3,6' }],
  ['a cron rule', { schedule: 'cron */20 8-18 1,15 * mon-fri' }],
  ['changes', { schedule: 'on change after 1 minutes' }],
  ['one disk', { oneFileSystem: true }],
  ['hidden names', { privateNames: true }],
  ['a folder that may be missing', { roots: ['/usr'], optionalRoots: ['/usr'] }],
  ...COMPRESSIONS.map((compression): readonly [string, Partial<SetForm>] => [
    `compression ${compression}`,
    { compression },
  ]),
  ['mains', { conditions: { onlyOnMains: true } }],
  ['a charge', { conditions: { batteryAtLeast: 100 } }],
  ['a network that costs', { conditions: { notMetered: true } }],
  ['networks', { conditions: { networks: ['-home', `Anna's WLAN`, 'Büro 5 GHz', 'a,b'] } }],
  ['an upload limit', { limits: { uploadKiB: 1 } }],
  ['a download limit', { limits: { downloadKiB: 12_345 } }],
  ['limits with hours', { limits: { uploadKiB: 900, downloadKiB: 4096, hours: { from: 485, to: 1110 } } }],
  ['limits over midnight', { limits: { uploadKiB: 900, hours: { from: 1439, to: 0 } } }],
  ...(['auto', 'low', 'normal'] as const).map((priority): readonly [string, Partial<SetForm>] => [
    `priority ${priority}`,
    { limits: { priority } },
  ]),
  ['a check', { verification: { everyDays: 365, samplePercent: 100 } }],
  ['files that are fetched', { onlineFiles: 'fetch' }],
  ['a ping', { pings: { success: `https://hc.example.org/it's` } }],
  [
    'pings on this computer',
    { pings: { start: 'http://[::1]:8000/a?b=c&d', success: 'http://localhost', fail: 'http://127.0.0.1/-x' } },
  ],
  ['a check of the usual sample', { verification: { everyDays: 1, samplePercent: 5 } }],
];

test.each(CASES)('the command line makes the same set with %s', async (_, more) => {
  fixture.write('docs/a');
  const wanted = form(more);
  const { command } = await ask('sets.command', { form: wanted });
  expect(await run(command)).toMatchObject({ exitCode: 0 });
  expect((await ask('sets.get', { set: wanted.name })).form).toEqual(wanted);
});

test.each(['with space', "it's", 'Bücher', '-dash', '$x', 'a\nb', '"'])(
  'a folder named %j is meant as it is',
  async (name) => {
    fixture.write(`${name}/a`);
    const wanted = form({ roots: [fixture.path(name)] });
    expect(await run(setCommandLine(wanted, 'linux'))).toMatchObject({ exitCode: 0 });
    expect((await ask('sets.get', { set: 'docs' })).form.roots).toEqual(wanted.roots);
  },
);

test('omits hours without a limit', async () => {
  fixture.write('docs/a');
  const { command } = await ask('sets.command', { form: form({ limits: { hours: { from: 60, to: 120 } } }) });
  expect(command).not.toContain('--limit-hours');
  expect(await run(command)).toMatchObject({ exitCode: 0 });
});

const POLICIES: readonly (readonly [RetentionForm, object | null])[] = [
  [
    { keepAllDays: 7, daily: 30, weekly: 12, monthly: 24, yearly: 10 },
    { keep_all_days: 7, daily: 30, yearly: 10 },
  ],
  [
    { hourly: 48, daily: 0 },
    { hourly: 48, daily: 0, keep_all_days: 0 },
  ],
  [{}, null],
];

test('the retention command line sets the same policy', async () => {
  fixture.write('docs/a');
  const wanted = form({ name: "Anna's docs" });
  await ask('sets.add', { form: wanted });
  await fixture.agent.backup({ set: wanted.name }, {});
  for (const [policy, kept] of POLICIES) {
    const { retention } = await ask('sets.command', { form: wanted, policy });
    expect(await run(retention!)).toMatchObject({ exitCode: 0 });
    const { state } = await fixture.agent.retention({ set: wanted.name, action: 'show' });
    if (kept === null) expect(state.policy).toBeNull();
    else expect(state.policy).toMatchObject(kept);
  }
  expect(await ask('sets.command', { form: wanted })).not.toHaveProperty('retention');
});

test('quotes for PowerShell', () => {
  const odd = form({
    name: '-x',
    roots: ["C:\\Users\\O'Neil\\My Docs"],
    presets: ['caches', 'windows', 'browsers', 'apps'],
  });
  expect(setCommandLine(odd, 'win32')).toBe("holdfast set add -- -x 'C:\\Users\\O''Neil\\My Docs'");
  // In PowerShell a curly quote ends a text like a straight one.
  expect(setCommandLine({ ...odd, name: 'Anna’s' }, 'win32')).toContain("'Anna’’s'");
  expect(retentionCommandLine('-x', { daily: 7 }, 'win32')).toBe('holdfast retention set --daily 7 -- -x');
});
