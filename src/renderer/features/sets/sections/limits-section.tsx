import type { ReactElement } from 'react';
import type { Limits } from '../../../../model/set.ts';
import { COMPRESSIONS, type Compression } from '../../../../model/compression.ts';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { TimeOfDayField } from '../../../../ui/fields/time-of-day-field.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import { without } from './without.ts';

const FIRST_KIB = 1024;
const FIRST_HOURS = { from: 8 * 60, to: 18 * 60 } as const;
const PRIORITIES = ['auto', 'low', 'normal'] as const;

interface LimitsSectionProps {
  readonly limits: Limits;
  readonly compression: Compression;
}

/** Limits for the bandwidth, the priority of a run, and what compression may cost. */
export function LimitsSection({ limits, compression }: LimitsSectionProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.limits;
  const { hours, priority } = limits;
  const change = (next: Limits): void => changeDraft({ limits: next });
  const isLimited = limits.uploadKiB !== undefined || limits.downloadKiB !== undefined;
  // A limit without effect is not offered; an existing one can be turned off.
  const isOfUse =
    useAppState(({ destinations }) => destinations.some(({ kind }) => kind === 'service')) === true || isLimited;
  return (
    <div className="ui-stack set-switches">
      {isOfUse ? (
        <>
          <Speed
            label={words.upload}
            fieldLabel={words.uploadSpeed}
            kib={limits.uploadKiB}
            onChange={(kib) =>
              change(kib === undefined ? sparely(without(limits, 'uploadKiB')) : { ...limits, uploadKiB: kib })
            }
          />
          <Speed
            label={words.download}
            fieldLabel={words.downloadSpeed}
            kib={limits.downloadKiB}
            onChange={(kib) =>
              change(kib === undefined ? sparely(without(limits, 'downloadKiB')) : { ...limits, downloadKiB: kib })
            }
          />
          <Switch
            label={words.hours}
            hint={isLimited ? words.hoursHint : words.hoursNeed}
            isSelected={hours !== undefined}
            isDisabled={!isLimited && hours === undefined}
            onChange={(on) => change(on ? { ...limits, hours: FIRST_HOURS } : without(limits, 'hours'))}
          />
          {hours && (
            <div className="set-inset ui-stack-tight">
              <div className="ui-row">
                <TimeOfDayField
                  label={words.from}
                  value={hours.from}
                  error={hours.from === hours.to ? strings.sets.editor.problems.hours : undefined}
                  onChange={(from) => change({ ...limits, hours: { ...hours, from } })}
                />
                <TimeOfDayField
                  label={words.to}
                  value={hours.to}
                  onChange={(to) => change({ ...limits, hours: { ...hours, to } })}
                />
              </div>
              {hours.from > hours.to && <p className="ui-hint">{words.overnight}</p>}
            </div>
          )}
        </>
      ) : (
        <p className="ui-soft">{strings.settings.limitsMissing}</p>
      )}
      <RadioCards
        label={words.priority}
        value={priority ?? 'auto'}
        cards={PRIORITIES.map((value) => ({
          value,
          title: words.priorities[value].title,
          hint: words.priorities[value].hint,
        }))}
        onChange={(next) => change(next === 'auto' ? without(limits, 'priority') : { ...limits, priority: next })}
      />
      <Select
        label={words.compression}
        hint={words.compressionHint}
        options={COMPRESSIONS.map((value) => ({ value, label: words.compressions[value] }))}
        value={compression}
        onChange={(next) => changeDraft({ compression: next })}
      />
    </div>
  );
}

/** Removes the hours with the last limit to which they apply. */
function sparely(limits: Limits): Limits {
  return limits.uploadKiB === undefined && limits.downloadKiB === undefined ? without(limits, 'hours') : limits;
}

interface SpeedProps {
  readonly label: string;
  readonly fieldLabel: string;
  /** KiB per second. */
  readonly kib: number | undefined;
  readonly onChange: (kib: number | undefined) => void;
}

function Speed({ label, fieldLabel, kib, onChange }: SpeedProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.sets.limits;
  return (
    <>
      <Switch label={label} isSelected={kib !== undefined} onChange={(on) => onChange(on ? FIRST_KIB : undefined)} />
      {kib !== undefined && (
        <div className="set-inset">
          <NumberField
            label={fieldLabel}
            unit={words.speedUnit}
            hint={words.about(formats.speed(kib * 1024))}
            value={kib}
            minimum={1}
            onChange={(next) => onChange(next ?? FIRST_KIB)}
          />
        </div>
      )}
    </>
  );
}
