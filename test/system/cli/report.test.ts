import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFormats } from '../../../src/strings/formats.ts';
import { startMailServer } from '../../helpers/service/mail-server.ts';
import { Workplace, type BackupAnswer } from '../e2e/workplace.ts';

interface Report {
  readonly device: string;
  readonly destinations: readonly {
    readonly name: string;
    readonly stored_bytes: number;
    readonly grown_bytes: number;
    readonly sets: readonly Record<string, unknown>[];
  }[];
}

let workplace: Workplace;
let backups: readonly BackupAnswer[];
beforeAll(async () => {
  workplace = new Workplace();
  await workplace.setUp('--device-name', 'Laptop <1>');
  for (const name of ['docs', 'photos']) {
    mkdirSync(workplace.path(name));
  }
  const secret = workplace.path('secret place');
  mkdirSync(secret);
  await workplace.addSet('docs', workplace.path('docs'), secret);
  await workplace.addSet('photos', workplace.path('photos'));
  writeFileSync(workplace.path('docs/a'), 'hello');
  const first = await workplace.json<BackupAnswer>(['backup', 'docs']);
  rmSync(secret, { recursive: true });
  writeFileSync(workplace.path('docs/b'), 'x'.repeat(100_000));
  backups = [first, await workplace.json<BackupAnswer>(['backup', 'docs'], 3)];
  await workplace.json(['drill', 'docs']);
  rmSync(workplace.path('photos'), { recursive: true });
  await workplace.run('backup', 'photos');
});
afterAll(() => workplace[Symbol.dispose]());

test('a report has the figures of the backups, of the status and of the test restore', async () => {
  const report = await workplace.json<Report>(['report']);
  const status = await workplace.json<{ sets: readonly { name: string; last_restore_point: string }[] }>(['status']);
  const [destination] = report.destinations;
  const [docs, photos] = destination!.sets;
  expect(report.device).toBe('Laptop <1>');
  expect(docs).toEqual({
    name: 'docs',
    needs_look: true,
    restore_point: backups[1]!.restore_point,
    files: 2,
    bytes: 100_005,
    runs: { succeeded: 1, warned: 1, failed: 0, stopped: 0 },
    bytes_uploaded: backups[0]!.bytes_uploaded + backups[1]!.bytes_uploaded,
    alarm: null,
    error: null,
    warnings: [{ reason: 'folder-missing', files: 1 }],
    drill: { at: expect.any(String), files: 2, failures: 0 },
  });
  expect(JSON.stringify(status)).toContain(String(docs!['restore_point']));
  expect(photos).toMatchObject({ needs_look: true, restore_point: null, runs: { failed: 1 }, error: 'source_missing' });
  // Nothing was there before the period.
  expect(destination!.grown_bytes).toBe(destination!.stored_bytes);
});

test('text and HTML say the same, with the figures of the JSON', async () => {
  const report = await workplace.json<Report>(['report']);
  const text = (await workplace.run('report')).stdout;
  const html = (await workplace.run('report', '--html')).stdout;
  const [destination] = report.destinations;
  const [docs] = destination!.sets;
  const { bytes: sizeText } = createFormats('en');
  const cells = [...html.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!);
  expect(cells.length).toBeGreaterThan(10);
  for (const cell of cells) expect(text).toContain(cell.replaceAll('&lt;', '<'));
  for (const bytes of [docs!['bytes'], docs!['bytes_uploaded'], destination!.stored_bytes, destination!.grown_bytes]) {
    expect(text).toContain(sizeText(bytes as number));
  }
  expect(html).toContain('Laptop &lt;1&gt;');
  expect(html).not.toMatch(/<script|<img|<link|src=|url\(/);
});

test('a report names files only if they are wanted, and what is left of them is harmless in HTML', async () => {
  const [plain, named] = [await workplace.run('report'), await workplace.run('report', '--names')];
  expect(plain.stdout).not.toContain('secret place');
  expect(plain.stdout).not.toContain(workplace.folder);
  expect(named.stdout).toContain('secret place');
});

test('a report is mailed, and a refusal by the mail server is said', async () => {
  const server = await startMailServer();
  const address = server.url.replace(/\/$/, '');
  const mail = ['report', '--mail-to', 'anna@example.org', '--mail-server', address];
  expect(await workplace.json(mail)).toMatchObject({ mailed_to: ['anna@example.org'] });
  const { from, to, text } = await server.next();
  expect([from, to]).toEqual(['anna@example.org', ['anna@example.org']]);
  expect(text).toContain('multipart/alternative');
  expect(text).toContain('need a look');
  expect(text).toContain('“docs” at ');
  const some = await workplace.run(...mail, '--mail-to', 'nobody@example.org', '--mail-to', 'ben@example.org');
  expect(some).toMatchObject({ status: 1, stdout: '' });
  expect(some.stderr).toContain('does not accept mail for nobody@example.org. The others have the report.');
  expect((await server.next()).to).toEqual(['anna@example.org', 'ben@example.org']);
  server.isBusy = true;
  const refused = await workplace.run(...mail);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('did not take the report');
});

test('a report is sent as the app has it set up, and without a setup it says so', async () => {
  const before = await workplace.run('report', '--send');
  expect(before.status).toBe(1);
  expect(before.stderr).toContain('Set it up in Settings');
  const server = await startMailServer();
  const { hostname, port } = new URL(server.url);
  const settings = { isOn: false, weekday: 1, minute: 0, to: ['anna@example.org', 'ben@example.org'] };
  const way = { host: hostname, port: Number(port), security: 'starttls', user: '', withNames: false };
  const file = { version: 1, settings: { ...settings, ...way }, since: 0 };
  writeFileSync(join(workplace.home, 'weekly-report.json'), JSON.stringify(file));
  expect(await workplace.json(['report', '--send'])).toMatchObject({ mailed_to: settings.to });
  expect(await server.next()).toMatchObject({ from: 'anna@example.org', to: settings.to });
});

test.each([
  [['--send', '--mail-to', 'a@b.org', '--mail-server', 'smtps://b.org'], '--send and --mail-to exclude each other.'],
  [['--mail-to', 'anna@example.org'], '--mail-to and --mail-server need each other.'],
  [
    ['--mail-to', 'nobody', '--mail-from', 'a@b.org', '--mail-server', 'smtp://127.0.0.1:1'],
    '"nobody" is not an e-mail address.',
  ],
  [
    ['--mail-to', 'a@b.org\nBcc: c@d.org', '--mail-server', 'smtp://127.0.0.1:1'],
    String.raw`"a@b.org\nBcc: c@d.org" is not an e-mail address.`,
  ],
  [
    ['--mail-to', 'root@localhost', '--mail-from', 'Anna', '--mail-server', 'smtp://127.0.0.1:1'],
    '"Anna" is not an e-mail address.',
  ],
  [['--mail-to', 'a@b.org', '--mail-server', 'http://mail.example.org'], 'has to be like smtp://'],
  [['--mail-to', 'a@b.org', '--mail-server', 'smtp://anna:secret@mail.example.org'], 'without a password'],
  [['--mail-to', 'a@b.org', '--mail-server', 'smtp://%zz@mail.example.org'], 'has to be like smtp://'],
])('%j is wrong usage', async (words, message) => {
  const { status, stderr } = await workplace.run('report', ...words);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a run that failed before it began is in the status and in the report, at each of its destinations', async () => {
  using other = new Workplace();
  await other.setUp();
  mkdirSync(other.path('docs'));
  writeFileSync(other.path('docs/a'), 'hello');
  await other.addSet('docs', other.path('docs'));
  await other.json(['destination', 'add', '--destination', other.path('second'), '--name', 'second']);
  await other.json(['backup', 'docs']);
  await other.json(['set', 'hooks', 'docs', '--before', 'exit 7']);
  for (const _attempt of [1, 2, 3]) expect((await other.run('backup', 'docs')).status).toBe(1);
  const report = await other.json<Report>(['report']);
  expect(report.destinations.map(({ sets }) => sets)).toEqual(
    [1, 2].map(() => [
      expect.objectContaining({
        needs_look: true,
        runs: { succeeded: 1, warned: 0, failed: 3, stopped: 0 },
        error: 'command_failed',
      }),
    ]),
  );
  const { stdout } = await other.run('status');
  expect(stdout.match(/\bfailed\b/g)).toHaveLength(2);
  expect((await other.run('report')).stdout).not.toContain('all is well');
});

test('a dry run that fails is no run', async () => {
  using other = new Workplace();
  await other.setUp();
  mkdirSync(other.path('docs'));
  writeFileSync(other.path('docs/a'), 'hello');
  await other.addSet('docs', other.path('docs'));
  await other.json(['backup', 'docs']);
  renameSync(other.destination, other.path('away'));
  expect((await other.run('backup', 'docs', '--dry-run')).status).toBe(1);
  expect((await other.json<Report>(['report'])).destinations[0]!.sets[0]).toMatchObject({ needs_look: false });
  expect((await other.run('backup', 'docs')).status).toBe(1);
  expect((await other.json<Report>(['report'])).destinations[0]!.sets[0]).toMatchObject({
    needs_look: true,
    runs: { failed: 1 },
  });
});
