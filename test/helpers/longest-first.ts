import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Long test files, and folders of them, longest first: each takes minutes, so that one that begins last would keep one worker busy. */
const LONG = [
  'test/app/package/first-minute',
  'test/system/repository/interleavings/',
  'test/system/contract/any-service/',
  'test/system/campaigns/',
  'test/system/repository/power-loss/',
  'test/system/repository/check/damage',
  'test/system/copy/copy-points',
  'test/system/archive/backup/target/absent-disks',
  'test/system/agent/catalog-damage',
  'test/app/package/',
  'test/app/',
  'test/system/house/',
  'test/system/agent/host/',
  'test/system/e2e/',
  'test/system/cli/',
  'test/system/agent/',
  'test/system/service/',
  'test/system/repository/',
];

/**
 * Starts long files first, so that a run does not end with one worker busy and the others idle. The files of a project follow
 * each other: a process is shared only by files that do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const order = ({ project, moduleId }: TestSpecification): number =>
      projects.indexOf(project.name) * (LONG.length + 1) + rank(moduleId);
    return sorted.toSorted((one, other) => order(one) - order(other));
  }
}

function rank(path: string): number {
  const index = LONG.findIndex((folder) => path.includes(folder));
  return index === -1 ? LONG.length : index;
}
