import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { AvailableDisk } from '../../../ipc/contract/setup.ts';
import { Segments } from '../../../ui/choices/segments.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { DestinationCards } from './destination-cards.tsx';
import { choiceOf, isDisk, SERVER_KINDS, withChoice } from './destination-draft.ts';
import type { DestinationDraft } from './destination-draft.ts';
import { ChoiceFields } from './fields/choice-fields.tsx';
import { MoreOptions } from './more-options.tsx';
import './destination-choice.css';

interface DestinationPickerProps {
  readonly draft: DestinationDraft;
  readonly disks: readonly AvailableDisk[];
  /** Marks empty fields, after the person has tried to continue. */
  readonly isChecked: boolean;
  /** Backups are looked for, not begun: where they would be safe is no question. */
  readonly isLooking?: boolean;
  readonly onChange: (draft: DestinationDraft) => void;
}

/** Chooses a destination: one of the found disks, or another kind with its fields. */
export function DestinationPicker({
  draft,
  disks,
  isChecked,
  isLooking = false,
  onChange,
}: DestinationPickerProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const box = useRef<HTMLDivElement>(null);
  const choice = choiceOf(draft);
  const hasFields = choice !== undefined && !isDisk(draft);
  const shown = hasFields ? choice.kind : undefined;
  useEffect(() => {
    // The list of destinations may be longer than the window.
    if (shown !== undefined) box.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return (
    <>
      <DestinationCards
        disks={disks}
        isLooking={isLooking}
        value={draft.card}
        onChoose={(card) => onChange({ ...draft, card })}
      />
      {isChecked && choice === undefined && (
        <p role="alert" className="ui-field-error">
          {words.choiceMissing}
        </p>
      )}
      <div ref={box} className="destination-fields">
        {hasFields && (
          <div className="ui-stack">
            {draft.card === 'server' && (
              <div className="ui-stack-tight">
                <Segments
                  label={words.serverKind}
                  value={draft.server}
                  options={SERVER_KINDS.map((kind) => ({ value: kind, label: words.servers[kind] }))}
                  onChange={(server) => onChange({ ...draft, server })}
                />
                <p className="ui-hint">{words.serverHints[draft.server]}</p>
              </div>
            )}
            <ChoiceFields
              choice={choice}
              isChecked={isChecked}
              onChange={(next) => onChange(withChoice(draft, next))}
            />
          </div>
        )}
        {choice !== undefined && choice.kind !== 'service' && (
          <MoreOptions
            parity={draft.parity}
            onParity={(parity) => onChange({ ...draft, parity })}
            objectLock={
              choice.kind === 'bucket'
                ? {
                    days: choice.objectLockDays ?? 0,
                    onDays: (objectLockDays) =>
                      onChange(withChoice(draft, { ...draft.entered.bucket, objectLockDays })),
                  }
                : undefined
            }
          />
        )}
      </div>
    </>
  );
}
