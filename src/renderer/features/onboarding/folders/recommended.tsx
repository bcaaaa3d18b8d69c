import type { ReactElement } from 'react';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Recommended } from '../page/draft.ts';

interface RecommendedLineProps {
  readonly chosen: Recommended;
  /** Whether the system can start the program, and whether the destination leaves it to this computer what is kept. */
  readonly can: Readonly<Record<'startAtLogin' | 'thinsOut', boolean>>;
  readonly onChange: (chosen: Recommended) => void;
}

const CHOICES = ['privateNames', 'startAtLogin', 'checksMonthly', 'drillsWeekly', 'thinsOut'] as const;

/** The recommended settings in one line, which opens to change each of them. */
export function RecommendedLine({ chosen, can, onChange }: RecommendedLineProps): ReactElement {
  const words = useLanguage().strings.onboarding.recommended;
  const choices = CHOICES.filter((choice) => !(choice in can) || can[choice as keyof typeof can]);
  const active = choices.filter((choice) => chosen[choice]);
  return (
    <details className="first-recommended">
      <summary>
        <Icon name="security" />
        <span>
          <strong>{active.length === choices.length ? words.title : words.titleChanged}</strong>{' '}
          <span className="ui-soft">
            {active.length === 0 ? words.none : active.map((choice) => words.short[choice]).join(' · ')}
          </span>
        </span>
        <Icon name="down" />
      </summary>
      <div className="first-recommended-choices">
        {choices.map((choice) => (
          <Switch
            key={choice}
            label={words.choices[choice]}
            hint={words.hints[choice]}
            isSelected={chosen[choice]}
            onChange={(isOn) => onChange({ ...chosen, [choice]: isOn })}
          />
        ))}
      </div>
    </details>
  );
}
