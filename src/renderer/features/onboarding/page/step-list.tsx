import type { ReactElement } from 'react';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import './step-list.css';

export type Part = 'destination' | 'phrase' | 'folders';
const PARTS: readonly Part[] = ['destination', 'phrase', 'folders'];

/** Marks the present one of the three steps. */
export function StepList({ part }: { readonly part: Part }): ReactElement {
  const { onboarding } = useLanguage().strings;
  const at = PARTS.indexOf(part);
  return (
    <ol className="first-steps" aria-label={onboarding.steps}>
      {PARTS.map((one, index) => (
        <li
          key={one}
          className="first-steps-one"
          aria-current={index === at ? 'step' : undefined}
          data-done={index < at ? true : undefined}
        >
          <span className="first-steps-number" aria-hidden>
            {index < at ? <Icon name="check" /> : index + 1}
          </span>
          <span className="first-steps-name">{onboarding.step[one]}</span>
        </li>
      ))}
    </ol>
  );
}
