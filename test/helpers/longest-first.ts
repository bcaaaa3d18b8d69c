import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Long test files, and folders of them, longest first: each takes minutes, so that one that begins last would keep one worker busy. */
const LONG = [
  'test/package/first-minute',
  'test/repository/interleavings/',
  'test/contract/any-service/',
  'test/campaigns/',
  'test/repository/power-loss/',
  'test/repository/check/damage',
  'test/copy/copy-points',
  'test/archive/backup/target/absent-disks',
  'test/agent/catalog-damage',
  'test/package/',
  'test/app/',
  'test/house/',
  'test/agent/host/',
  'test/e2e/',
  'test/portal/',
  'test/renderer/',
  'test/cli/',
  'test/agent/',
  'test/service/',
  'test/repository/',
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
