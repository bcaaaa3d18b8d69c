import type { ReactElement } from 'react';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { whenOf } from '../points/point-times.ts';

interface PointChoiceProps {
  /** Newest first. */
  readonly points: readonly RestorePoint[];
  /** Those to choose from, newest first, with the present one. */
  readonly offered: readonly RestorePoint[];
  readonly point: RestorePoint;
  readonly onChoose: (restorePoint: string) => void;
}

/** The time whose files are restored, in one press for the most frequent ones. */
export function PointChoice({ points, offered, point, onChoose }: PointChoiceProps): ReactElement {
  const { strings, formats } = useLanguage();
  return (
    <Segments
      label={strings.restore.time.label}
      isLabelHidden
      options={offered.map((one) => ({ value: one.restorePoint, label: capitalized(whenOf(points, one, formats)) }))}
      value={point.restorePoint}
      onChange={onChoose}
    />
  );
}

/** “yesterday” begins a label of its own. */
function capitalized(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase() + text.slice(first.length);
}
