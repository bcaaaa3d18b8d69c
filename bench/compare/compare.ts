import { join } from 'node:path';
import { SOURCE } from '../data-sets/data-set.ts';
import type { Measurement, Sample } from '../report/results.ts';
import type { Tool } from '../tools/tool.ts';
import type { Step, Workload } from '../workloads/workload.ts';
import { folderSize } from './folder-size.ts';
import { runRound } from './round.ts';
import type { Workspace } from './workspace.ts';

export interface Comparison {
  readonly workload: Workload;
  readonly tools: readonly Tool[];
  readonly asked: ReadonlySet<string>;
  readonly rounds: number;
  /** The folder of the data. */
  readonly data: string;
  readonly workspace: Workspace;
  readonly onProgress: (text: string) => void;
}

/**
 * Runs the tools in turn, A B C A B C, so that a disturbance of the machine affects all of them. The first round
 * warms up the memory: its times are discarded, and its restores are compared with the source.
 */
export async function compareTools(comparison: Comparison): Promise<readonly Measurement[]> {
  const { workload, tools, asked, rounds, data, workspace, onProgress } = comparison;
  const samples = new Map<string, Sample[]>();
  for (let number = 0; number <= rounds; number += 1) {
    for (const tool of tools) {
      onProgress(`${workload.name}, ${number === 0 ? 'warm-up' : `round ${number} of ${rounds}`}: ${tool.label}`);
      await runRound({
        workload,
        tool,
        data,
        asked,
        workspace,
        compare: number === 0,
        onSample(step, sample) {
          const key = keyOf(step.id, tool);
          if (number > 0) samples.set(key, [...(samples.get(key) ?? []), sample]);
        },
      });
    }
  }
  const { baseline, linkBytesPerSecond } = workload;
  const common = {
    ...folderSize(join(data, SOURCE)),
    ...(baseline === undefined ? {} : { baseline }),
    ...(linkBytesPerSecond === undefined ? {} : { linkBytesPerSecond }),
  };
  const measurementOf = ({ id, title }: Step): Measurement => ({
    id,
    title,
    ...common,
    programs: tools.map((tool) => ({
      name: tool.name,
      label: tool.label,
      samples: samples.get(keyOf(id, tool)) ?? [],
    })),
  });
  return workload.steps.filter(({ id }) => asked.has(id)).map(measurementOf);
}

function keyOf(id: string, { name }: Tool): string {
  return `${id} ${name}`;
}
