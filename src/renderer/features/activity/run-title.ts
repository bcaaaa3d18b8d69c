import type { Outcome, RunKind } from '../../../ipc/state.ts';
import type { Strings } from '../../../strings/en.ts';
import type { IconName } from '../../../ui/icon.tsx';
import type { Tone } from '../../../ui/theme/tone.ts';

export function runTitle({ kind, set }: { readonly kind: RunKind; readonly set: string }, strings: Strings): string {
  return strings.activity.titles[kind](set);
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
