import { nameOf } from '../../../model/entry-path.ts';
import type { ListedRun } from '../../../ipc/contract/activity.ts';
import type { Outcome, RunKind } from '../../../model/run.ts';
import type { Strings } from '../../../strings/compiled/en.ts';
import type { IconName } from '../../../ui/icon.tsx';
import { isolatedName } from '../../shared/readable-path.ts';
import type { Tone } from '../../../ui/theme/tone.ts';

export function runTitle(
  { kind, set, restored }: Pick<ListedRun, 'restored'> & { readonly kind: RunKind; readonly set: string },
  { activity }: Strings,
): string {
  if (restored?.path === undefined) return activity.titles[kind](set);
  const name = nameOf(restored.path);
  return activity.restoreOf(isolatedName(name), restored.paths - 1, set);
}

/** Describes how a run ended. A check that found damage has done its work. */
export function outcomeText(
  { kind, outcome, failure }: Pick<ListedRun, 'kind' | 'outcome' | 'failure'>,
  { activity }: Strings,
): string {
  return kind === 'check' && outcome === 'failed' && !failure ? activity.check.found : activity.outcomes[outcome];
}

export const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  succeeded: 'good',
  warnings: 'warning',
  failed: 'bad',
  cancelled: 'plain',
  interrupted: 'plain',
};

export const OUTCOME_ICONS: Readonly<Record<Outcome, IconName>> = {
  succeeded: 'check',
  warnings: 'attention',
  failed: 'close',
  cancelled: 'stop',
  interrupted: 'pause',
};
