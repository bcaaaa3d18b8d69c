import type { ReactElement } from 'react';
import { Select } from '../../../ui/choices/select.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { LOCK_DAYS, PARITY_SHARES } from './destination-draft.ts';

interface MoreOptionsProps {
  /** The share of parity, in percent. */
  readonly parity: number;
  readonly onParity: (parity: number) => void;
  /** The object lock of a bucket; missing for other destinations. */
  readonly objectLock?: { readonly days: number; readonly onDays: (days: number) => void } | undefined;
}

/** What few people change about a destination of files, closed at first. */
export function MoreOptions({ parity, onParity, objectLock }: MoreOptionsProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  return (
    <details className="destination-more">
      <summary>{words.moreOptions}</summary>
      <div className="ui-stack">
        <Select
          label={words.parity}
          hint={words.parityHint}
          value={String(parity)}
          options={PARITY_SHARES.map((share) => ({
            value: String(share),
            label: share === 0 ? words.noParity : words.parityShare(share),
          }))}
          onChange={(value) => onParity(Number(value))}
        />
        {objectLock && (
          <Select
            label={words.objectLock}
            hint={words.objectLockHint}
            value={String(objectLock.days)}
            options={LOCK_DAYS.map((days) => ({
              value: String(days),
              label: days === 0 ? words.noObjectLock : words.objectLockDays(days),
            }))}
            onChange={(value) => objectLock.onDays(Number(value))}
          />
        )}
      </div>
    </details>
  );
}
