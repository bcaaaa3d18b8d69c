import type { ReactElement } from 'react';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { isEqual } from '../../../shared/deep-equality.ts';
import { changeDraft, useDraft } from '../draft/draft.ts';
import type { ScheduleChoice } from '../draft/schedule-choice.ts';
import { ScheduleControl } from '../schedule/schedule-control.tsx';

interface WhenSectionProps {
  readonly schedule: ScheduleChoice;
  readonly now: number;
}

/** The schedule of the set. */
export function WhenSection({ schedule, now }: WhenSectionProps): ReactElement {
  return (
    <ScheduleControl
      schedule={schedule}
      now={now}
      first={useDecided(schedule)}
      onChange={(next) => changeDraft({ schedule: next })}
    />
  );
}

/** Returns the next run of the set in milliseconds since the epoch, if its schedule is the saved one. */
function useDecided(schedule: ScheduleChoice): number | undefined {
  const saved = useDraft((held) => held.saved);
  const decision = useAppState(({ sets }) => sets.find(({ name }) => name === saved?.origin)?.decision);
  const isSaved = isEqual(saved?.schedule, schedule);
  return isSaved && decision?.kind === 'next' ? decision.at : undefined;
}
