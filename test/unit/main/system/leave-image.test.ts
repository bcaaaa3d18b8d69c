import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaveImage } from '../../../../src/main/system/leave-image.ts';

let folder: string;
let program: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
  mkdirSync(join(folder, 'image'));
  program = join(folder, 'image/holdfast-app');
  writeFileSync(program, '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The variables as AppRun of electron-builder sets them, for a person who has set some of them. */
function environmentOf(image: string): NodeJS.ProcessEnv {
  return {
    HOME: '/home/anna',
    APPIMAGE: '/home/anna/Holdfast.AppImage',
    APPDIR: image,
    ARGV0: './Holdfast.AppImage',
    OWD: '/home/anna',
    PATH: `${image}:${image}/usr/sbin:/usr/local/bin:/usr/bin`,
    XDG_DATA_DIRS: `${image}/usr/share/::/usr/share/gnome:/usr/local/share/:/usr/share/`,
    LD_LIBRARY_PATH: `${image}/usr/lib:/opt/cuda/lib`,
    GSETTINGS_SCHEMA_DIR: `${image}/usr/share/glib-2.0/schemas`,
    LS_COLORS: 'a=1:b=2::c',
    DISPLAY: ':0',
  };
}

test('an AppImage takes its folders out of the lists, and nothing else', () => {
  const image = join(folder, 'image');
  const environment = environmentOf(image);
  leaveImage(environment, program);
  expect(environment).toEqual({
    HOME: '/home/anna',
    APPIMAGE: '/home/anna/Holdfast.AppImage',
    APPDIR: image,
    PATH: '/usr/local/bin:/usr/bin',
    XDG_DATA_DIRS: ':/usr/share/gnome:/usr/local/share/:/usr/share/',
    LD_LIBRARY_PATH: '/opt/cuda/lib',
    LS_COLORS: 'a=1:b=2::c',
    DISPLAY: ':0',
  });
});

test('a variable that only had folders of the image is removed', () => {
  const image = join(folder, 'image');
  const environment: NodeJS.ProcessEnv = { ...environmentOf(image), LD_LIBRARY_PATH: `${image}/usr/lib` };
  leaveImage(environment, program);
  expect(Object.keys(environment)).not.toContain('LD_LIBRARY_PATH');
});

test('a folder beside that begins alike stays', () => {
  const image = join(folder, 'image');
  const environment: NodeJS.ProcessEnv = {
    ...environmentOf(image),
    LD_LIBRARY_PATH: `${image}-2/lib:${image}/lib:${image}/..lib`,
  };
  leaveImage(environment, program);
  expect(environment['LD_LIBRARY_PATH']).toBe(`${image}-2/lib`);
});

test('a program that another AppImage has started changes nothing', () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  const environment = environmentOf(other);
  leaveImage(environment, program);
  expect(environment).toEqual(environmentOf(other));
});
