import { expect, test } from 'vitest';
import { file, TestService } from '../harness.ts';

const PATHS = [
  'C:\\Users\\anna\\a.txt',
  'C:\\Users\\anna\\deep\\b.txt',
  'C:\\Users\\annabel\\c.txt',
  'D:\\e.txt',
  '\\\\server\\share\\f.txt',
  'C:/Users/anna/ours.txt',
];

async function backedUp() {
  const service = await TestService.open();
  const device = await service.register();
  const run = await service.backUp(
    device,
    'docs',
    PATHS.map((path) => file(path, ['x'])),
  );
  expect(run.status).toBe(200);
  const list = async (path: string, recursive = true) => {
    const { body } = await service.manifest(device, 'docs', { path, recursive });
    const files = (body.files as { path: string }[]).map((one) => one.path).toSorted();
    return recursive ? files : { files, directories: body.directories as string[] };
  };
  return { service, device, list };
}

test('paths of a Windows agent come back as they were sent', async () => {
  const { list } = await backedUp();
  expect(await list('')).toEqual(PATHS.toSorted());
  expect(await list('C:\\Users\\anna\\a.txt')).toEqual([PATHS[0]]);
  for (const folder of ['C:\\Users\\anna', 'C:\\Users\\anna\\'])
    expect(await list(folder)).toEqual([PATHS[0], PATHS[1]]);
  expect(await list('C:\\')).toEqual([PATHS[0], PATHS[1], PATHS[2]]);
  expect(await list('\\\\server\\share')).toEqual([PATHS[4]]);
  expect(await list('C:/Users')).toEqual([PATHS[5]]);
  expect(await list('C:\\Users\\ann')).toEqual([]);
});

test('folders of a Windows agent are listed one level at a time', async () => {
  const { list } = await backedUp();
  expect(await list('', false)).toEqual({ files: [], directories: ['C:', 'C:\\', 'D:\\', '\\\\server'] });
  expect(await list('C:\\', false)).toEqual({ files: [], directories: ['C:\\Users'] });
  expect(await list('C:\\Users', false)).toEqual({ files: [], directories: ['C:\\Users\\anna', 'C:\\Users\\annabel'] });
  expect(await list('C:\\Users\\anna', false)).toEqual({ files: [PATHS[0]], directories: ['C:\\Users\\anna\\deep'] });
});

test.each(['C:', 'C:\\', '\\one', 'Users\\anna', 'C:\\a\0b', 'relative', '\\\\'])(
  'the path %j is refused',
  async (path) => {
    const service = await TestService.open();
    const device = await service.register();
    expect((await service.init(device, 'docs', [file(path, ['x'])])).status).toBe(400);
  },
);
