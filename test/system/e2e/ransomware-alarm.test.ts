import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

type Warnings = readonly { readonly path: string; readonly reason: string; readonly detail?: string }[];
interface SetFacts {
  readonly name: string;
  readonly alarm: { readonly since: string; readonly reasons: readonly string[] } | null;
  readonly needs_look: boolean;
}
/** The fields of `backup`, `status` and `report`, each of which has some of them. */
interface Answer {
  readonly warnings: Warnings;
  readonly sets: readonly SetFacts[];
  readonly destinations: readonly {
    readonly warnings: Warnings;
    readonly removals_held_since: string | null;
    readonly sets: readonly SetFacts[];
  }[];
}

const FILES = 120;
const RELEASE = 'holdfast retention release documents';

let place: Workplace;
beforeEach(async () => {
  place = new Workplace();
  await place.setUp();
  mkdirSync(place.path('source'));
  writeLetters();
  await place.addSet('documents', place.path('source'));
});
afterEach(() => place[Symbol.dispose]());

const letter = (index: number): string => place.path('source', `letter ${index}.txt`);
function writeLetters(): void {
  for (let index = 0; index < FILES; index += 1)
    writeFileSync(letter(index), `Dear Anna, letter ${index}. `.repeat(40));
}
function overwrite(): void {
  for (let index = 0; index < FILES; index += 1) writeFileSync(letter(index), randomBytes(1300));
}
async function answerOf(...words: readonly string[]): Promise<{ readonly status: number; readonly value: Answer }> {
  const { status, stdout } = await place.run(...words, '--json');
  return { status: status!, value: JSON.parse(stdout) as Answer };
}
async function textOf(...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await place.run(...words);
  return stdout + stderr;
}

/** What `status` and `report` say of the set. */
async function told(): Promise<object> {
  const { value: status } = await answerOf('status');
  const { value: report } = await answerOf('report');
  const lines = await textOf('status');
  const mail = await textOf('report');
  return {
    alarm: status.sets[0]!.alarm?.reasons ?? null,
    held: status.destinations[0]!.removals_held_since !== null,
    needsLook: report.destinations[0]!.sets[0]!.needs_look,
    reported: report.destinations[0]!.sets[0]!.alarm?.reasons ?? null,
    inLines: lines.includes('signs of ransomware') && lines.includes(RELEASE),
    inReport: mail.includes('signs of ransomware'),
    isWell: mail.includes('all is well'),
  };
}
const ALARMED = { held: true, needsLook: true, inLines: true, inReport: true, isWell: false };
const WELL = {
  alarm: null,
  held: false,
  needsLook: false,
  reported: null,
  inLines: false,
  inReport: false,
  isWell: true,
};

describe('signs of ransomware', () => {
  test('are said by the run, the status and the report until a person dismisses them', async () => {
    await place.json(['backup', 'documents']);
    expect(await told()).toEqual(WELL);
    overwrite();
    const { status, value } = await answerOf('backup', 'documents');
    const reasons = ['mass_rewrite', 'mass_encryption', 'mass_damage'];
    expect([status, value.warnings]).toEqual([
      3,
      [{ path: 'documents', reason: 'ransomware-signs', detail: reasons.join(' ') }],
    ]);
    expect(await told()).toEqual({ ...ALARMED, alarm: reasons, reported: reasons });
    const again = await place.run('backup', 'documents');
    expect(again.status).toBe(3);
    expect(again.stderr).toContain(`shows signs of ransomware: most files were overwritten; many files`);
    expect(again.stderr).toContain(RELEASE);
    expect(await told()).toEqual({ ...ALARMED, alarm: reasons, reported: reasons });
    await place.json(['retention', 'release', 'documents']);
    expect(await told()).toEqual(WELL);
    expect(await answerOf('backup', 'documents')).toMatchObject({ status: 0, value: { warnings: [] } });
  });

  test('are said of most files deleted, and of each destination with its command, and by commands after a backup', async () => {
    await place.json(['destination', 'add', '--destination', place.path('second'), '--name', 'second']);
    await place.json(['backup', 'documents']);
    await place.json(['set', 'hooks', 'documents', '--after', `echo "$HOLDFAST_OUTCOME" > "${place.path('told')}"`]);
    for (let index = 1; index < FILES; index += 1) rmSync(letter(index));
    const { status, stderr } = await place.run('backup', 'documents');
    expect(status).toBe(3);
    expect(stderr).toContain('shows signs of ransomware: most files were deleted');
    expect(stderr).toContain(`${RELEASE} --destination second`);
    expect(existsSync(place.path('told')) && readFileSync(place.path('told'), 'utf8')).toBe('warnings\n');
    const before = await answerOf('status');
    expect(before.value.destinations.map(({ sets }) => sets[0]!.alarm?.reasons)).toEqual([
      ['mass_deletion'],
      ['mass_deletion'],
    ]);
    await place.json(['retention', 'release', 'documents', '--destination', 'second']);
    const after = await answerOf('status');
    expect(after.value.destinations.map(({ sets }) => sets[0]!.alarm?.reasons)).toEqual([['mass_deletion'], undefined]);
    const next = await answerOf('backup', 'documents');
    expect(next.status).toBe(3);
    expect(next.value.destinations.map(({ warnings }) => warnings.length)).toEqual([1, 0]);
  });

  test('of another set are no warning of a run, and hold what the status says', async () => {
    mkdirSync(place.path('other'));
    writeFileSync(place.path('other', 'a'), 'text');
    await place.addSet('other', place.path('other'));
    await place.json(['backup', 'documents']);
    overwrite();
    await place.run('backup', 'documents');
    expect(await answerOf('backup', 'other')).toMatchObject({ status: 0, value: { warnings: [] } });
    const { value } = await answerOf('status');
    expect(value.sets.map(({ name, alarm }) => [name, alarm !== null])).toEqual([
      ['documents', true],
      ['other', false],
    ]);
    await place.json(['retention', 'release', 'other']);
    expect((await answerOf('status')).value.sets[0]!.alarm).toBeNull();
  });
});
