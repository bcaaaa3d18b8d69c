import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The tests of a file in test/fixtures/vectors; each file names its source. */
export function vectors<Vector>(name: string): readonly Vector[] {
  const file = path.join(import.meta.dirname, '../../fixtures/vectors', `${name}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { tests: Vector[] }).tests;
}

export const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');
