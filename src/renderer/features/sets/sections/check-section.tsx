import type { ReactElement } from 'react';
import type { Verification } from '../../../../ipc/contract/configured-set.ts';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';

const FIRST: Verification = { everyDays: 30, samplePercent: 5 };

/** Edits the interval and the extent of verification of stored data. */
export function CheckSection({ verification }: { readonly verification: Verification | undefined }): ReactElement {
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
            <NumberField
              label={words.every}
              unit={words.days}
              value={verification.everyDays}
              minimum={1}
              maximum={365}
              onChange={(days) =>
                changeDraft({ verification: { ...verification, everyDays: days ?? FIRST.everyDays } })
              }
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
          <div className="ui-well set-explained" role="status">
            <p>
              <strong>
                {words.sentence(verification.everyDays, formats.percent(verification.samplePercent / 100))}
              </strong>
            </p>
            <p className="ui-soft">{words.whole(Math.ceil(100 / verification.samplePercent))}</p>
          </div>
        </>
      )}
    </div>
  );
}
