import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { JsonFile } from '../../../../src/base/files/json-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-json-'));
  path = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const schema = z.object({ version: z.literal(1), names: z.array(z.string()) });
const open = () => new JsonFile(path, schema);

describe('JsonFile', () => {
  test('returns undefined when the file does not exist', () => {
    expect(open().readSync()).toBeUndefined();
  });

  test('returns what was written', async () => {
    open().writeSync({ version: 1, names: ['a'] });
    expect(open().readSync()).toEqual({ version: 1, names: ['a'] });
    await open().write({ version: 1, names: ['b'] });
    expect(open().readSync()).toEqual({ version: 1, names: ['b'] });
    expect(readFileSync(path, 'utf8').endsWith('}\n')).toBe(true);
  });

  test.each(['', '{', '[]', '{}', '{"version":2,"names":[]}'])('throws home_damaged for %j and leaves it', (text) => {
    writeFileSync(path, text);
    expect(() => open().readSync()).toThrow(
      expect.objectContaining({ code: 'home_damaged', details: { file: path, problem: 'unreadable' } }),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('lets the caller decide how to treat a damaged file', () => {
    writeFileSync(path, '{"version":2}');
    const found = open().readSync(({ kind, ...rest }) => ({ kind, value: 'value' in rest && rest.value }));
    expect(found).toEqual({ kind: 'corrupt', value: { version: 2 } });
  });

  test('distinguishes a file that the system refuses to read', () => {
    mkdirSync(path);
    expect(open().readSync(({ kind }) => kind)).toBe('inaccessible');
    expect(() => open().readSync()).toThrow(
      expect.objectContaining({ code: 'home_unwritable', details: { file: path, problem: 'EISDIR' } }),
    );
  });

  test('throws home_unwritable when it cannot be written or removed', async () => {
    rmSync(folder, { recursive: true });
    const unwritable = { code: 'home_unwritable', details: { file: path, problem: 'ENOENT' } };
    expect(() => open().writeSync({ version: 1, names: [] })).toThrow(expect.objectContaining(unwritable));
    await expect(open().write({ version: 1, names: [] })).rejects.toMatchObject(unwritable);
    expect(() => open().removeSync()).not.toThrow();
  });
});
