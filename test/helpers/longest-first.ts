import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Folders with the longest test files, longest first. */
const LONG = [
  'test/app/',
  'test/agent/host/',
  'test/house/',
  'test/portal/',
  'test/renderer/',
  'test/e2e/',
  'test/service/',
  'test/cli/',
  'test/agent/',
];

/** Starts long files first, so that a run does not end with one worker busy and the others idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId));
  }
}

function rank(path: string): number {
  const index = LONG.findIndex((folder) => path.includes(folder));
  return index === -1 ? LONG.length : index;
}
