import type { ReactElement } from 'react';
import type { Drill, Verification } from '../../../../model/set.ts';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';

const WEEKLY: Drill = { everyDays: 7 };
const FIRST: Verification = { everyDays: 30, samplePercent: 5 };

interface CheckSectionProps {
  readonly verification: Verification | undefined;
  readonly drill: Drill | undefined;
}

/** Edits the interval and the extent of verification of stored data, and the interval of test restores. */
export function CheckSection({ verification, drill }: CheckSectionProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.sets.check;
  return (
    <div className="ui-stack set-switches">
      <p className="ui-soft">{words.lead}</p>
      <Switch
        label={words.on}
        isSelected={verification !== undefined}
        onChange={(on) => changeDraft({ verification: on ? FIRST : undefined })}
      />
      {verification && (
        <>
          <div className="set-inset set-pair">
            <IntervalField
              days={verification.everyDays}
              onChange={(days = FIRST.everyDays) => changeDraft({ verification: { ...verification, everyDays: days } })}
            />
            <NumberField
              label={words.sample}
              unit={words.percent}
              value={verification.samplePercent}
              minimum={1}
              maximum={100}
              onChange={(percent) =>
                changeDraft({ verification: { ...verification, samplePercent: percent ?? FIRST.samplePercent } })
              }
            />
          </div>
          <div className="ui-well set-explained" role="status" data-live-announcer>
            <p>
              <strong>
                {words.sentence(verification.everyDays, formats.percent(verification.samplePercent / 100))}
              </strong>
            </p>
            <p className="ui-soft">{words.whole(Math.ceil(100 / verification.samplePercent))}</p>
          </div>
        </>
      )}
      <Switch
        label={words.drill}
        hint={words.drillHint}
        isSelected={drill !== undefined}
        onChange={(on) => changeDraft({ drill: on ? WEEKLY : undefined })}
      />
      {drill && (
        <div className="set-inset set-pair">
          <IntervalField
            days={drill.everyDays}
            onChange={(days = WEEKLY.everyDays) => changeDraft({ drill: { everyDays: days } })}
          />
        </div>
      )}
    </div>
  );
}

interface IntervalFieldProps {
  readonly days: number;
  readonly onChange: (days: number | undefined) => void;
}

function IntervalField({ days, onChange }: IntervalFieldProps): ReactElement {
  const words = useLanguage().strings.sets.check;
  return (
    <NumberField label={words.every} unit={words.days} value={days} minimum={1} maximum={365} onChange={onChange} />
  );
}
