import { copyFileSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import { writeWholeFile } from './whole-file.ts';

/**
 * What a file holds; nothing where there is none. One that cannot be read for what it is gets a kept copy beside it
 * (`.bad`), and counts as none.
 */
export function readJsonFile<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    copyFileSync(file, `${file}.bad`);
    return undefined;
  }
}

export function writeJsonFile(file: string, value: unknown): void {
  writeWholeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
