import type { ReactElement } from 'react';
import { Select } from '../../../ui/choices/select.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { PARITY_SHARES } from './destination-draft.ts';

interface MoreOptionsProps {
  /** The share of parity, in percent. */
  readonly parity: number;
  readonly onParity: (parity: number) => void;
}

/** What few people change about a destination of files, closed at first. */
export function MoreOptions({ parity, onParity }: MoreOptionsProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  return (
    <details className="destination-more">
      <summary>{words.moreOptions}</summary>
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
    </details>
  );
}
