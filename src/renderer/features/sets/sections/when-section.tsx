import type { ReactElement } from 'react';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { isEqual } from '../../../bridge/deep-equality.ts';
import { changeDraft, useDraft } from '../draft/draft.ts';
import type { Schedule } from '../../../../model/schedule/schedule.ts';
import { TimerSwitch } from './timer-switch.tsx';
import { ScheduleControl } from '../schedule/schedule-control.tsx';

interface WhenSectionProps {
  readonly schedule: Schedule;
  readonly now: number;
  /** The name of a saved set. */
  readonly set: string | undefined;
}

/** The schedule of the set, and its timer for times without a login. */
export function WhenSection({ schedule, now, set }: WhenSectionProps): ReactElement {
  return (
    <div className="ui-stack">
      <ScheduleControl
        schedule={schedule}
        now={now}
        first={useDecided(schedule)}
        onChange={(next) => changeDraft({ schedule: next })}
      />
      {set !== undefined && <TimerSwitch key={set} set={set} />}
    </div>
  );
}

/** Returns the next run of the set in milliseconds since the epoch, if its schedule is the saved one. */
function useDecided(schedule: Schedule): number | undefined {
  const saved = useDraft((held) => held.saved);
  const decision = useAppState(({ sets }) => sets.find(({ name }) => name === saved?.origin)?.decision);
  const isSaved = isEqual(saved?.schedule, schedule);
  return isSaved && decision?.kind === 'next' ? decision.at : undefined;
}
