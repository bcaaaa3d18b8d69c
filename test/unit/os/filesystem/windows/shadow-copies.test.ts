import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WmiShadowCopies } from '../../../../../src/os/filesystem/windows/shadow-copies.ts';

const ONE = '{0B1F2C3D-1111-2222-3333-444455556666}';
const OTHERS = '{FFFFFFFF-1111-2222-3333-444455556666}';
const DEVICE = String.raw`\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy7`;

let folder: string;
let record: string;
let scripts: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-shadow-'));
  record = join(folder, 'shadow-copies.txt');
  scripts = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Shadow copies of a computer whose PowerShell prints these texts, one after the other. */
function copies(...answers: readonly (string | undefined)[]): WmiShadowCopies {
  return new WmiShadowCopies(record, (script) => {
    scripts.push(script);
    return Promise.resolve(answers[scripts.length - 1]);
  });
}

describe('a shadow copy', () => {
  test('is made of a drive, recorded, and deleted by its id', async () => {
    const system = copies(`${ONE}\r\n${DEVICE}\r\n`, 'gone\r\n');
    const copy = await system.copyFor('c:/Users/anna/mail.pst');
    const root = '//?/GLOBALROOT/Device/HarddiskVolumeShadowCopy7';
    expect(copy!.placeOf('c:/Users/anna/mail.pst')).toBe(`${root}/Users/anna/mail.pst`);
    expect(await system.copyFor('C:/other')).toBe(copy);
    expect(readFileSync(record, 'utf8')).toBe(ONE);
    await system.deleteAll();
    expect(readFileSync(record, 'utf8')).toBe('');
    expect(scripts[0]).toContain(String.raw`Volume = 'C:\'`);
    expect(scripts[1]).toContain(`ID = '${ONE}'`);
  });

  test.each([
    ['the account is not an administrator', undefined],
    ['the answer is none', 'Access denied'],
  ])('is none if %s', async (_name, answer) => {
    const system = copies(answer);
    expect(await system.copyFor('C:/x')).toBeUndefined();
    expect(await system.copyFor('C:/y')).toBeUndefined();
    expect(scripts).toHaveLength(1);
    expect(existsSync(record)).toBe(false);
  });

  test.each(['//server/share/x', '/x', "C:'; exit; '/x"])('is not made for %s', async (path) => {
    expect(await copies().copyFor(path)).toBeUndefined();
    expect(scripts).toEqual([]);
  });

  test('whose place is unknown is deleted all the same', async () => {
    const system = copies(`${ONE}\n/etc/passwd`, 'gone');
    expect(await system.copyFor('C:/x')).toBeUndefined();
    await system.deleteAll();
    expect(scripts).toHaveLength(2);
  });

  test('of a process that was killed is deleted by the next one, and no other', async () => {
    writeFileSync(record, `${ONE}\nnot an id'; Remove-Item C:\\ \n`);
    await copies('gone').sweep();
    expect(scripts).toHaveLength(1);
    expect(scripts[0]).toContain(ONE);
    expect(scripts[0]).not.toContain(OTHERS);
    await copies().sweep();
    expect(scripts).toHaveLength(1);
  });

  test('that cannot be deleted now stays recorded', async () => {
    writeFileSync(record, ONE);
    await copies(undefined).sweep();
    expect(readFileSync(record, 'utf8')).toBe(ONE);
  });
});
