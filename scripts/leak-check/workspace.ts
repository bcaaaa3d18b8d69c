import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAgent } from '../../src/agent/open-agent.ts';
import { homeAt } from '../../src/agent/home/home.ts';

export const SET = 'leaks';
export const FILES_IN_FOLDER = 100;
const FOLDERS = 20;

/** 2,000 small files, and a home with a set of them and a destination. */
export async function makeWorkspace(folder: string): Promise<void> {
  const source = join(folder, 'source');
  for (let index = 0; index < FOLDERS * FILES_IN_FOLDER; index += 1) {
    if (index % FILES_IN_FOLDER === 0) mkdirSync(join(source, folderName(index)), { recursive: true });
    writeFileSync(filePath(source, index), `${index} `.repeat(100 + index));
  }
  const agent = openAgent({ home: homeAt(join(folder, 'home')), environment: process.env });
  await agent.setup({ destination: { kind: 'folder', directory: join(folder, 'destination') } });
  await agent.addSet({
    form: { name: SET, roots: [source], excludes: [], presets: [], oneFileSystem: false, privateNames: false },
  });
}

/** @param index of the file; wraps around after the last one */
export function filePath(source: string, index: number): string {
  const number = index % (FOLDERS * FILES_IN_FOLDER);
  return join(source, folderName(number), `file ${number}`);
}

function folderName(index: number): string {
  return `folder ${Math.floor(index / FILES_IN_FOLDER)}`;
}
