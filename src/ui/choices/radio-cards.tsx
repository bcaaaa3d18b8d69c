import type { ReactElement, ReactNode } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

export interface RadioCard<Value extends string> {
  readonly value: Value;
  readonly title: string;
  readonly icon?: IconName;
  /** Below the title. */
  readonly hint?: ReactNode;
  /** At the end of the card, such as a badge or a size. */
  readonly aside?: ReactNode;
}

interface RadioCardsProps<Value extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly cards: readonly RadioCard<Value>[];
  /** `undefined` before the first choice. */
  readonly value: Value | undefined;
  /** Places the cards side by side if there is room. */
  readonly isGrid?: boolean;
  readonly onChange: (value: Value) => void;
}

/** A choice of one of a few options that need an explanation. */
export function RadioCards<Value extends string>(props: RadioCardsProps<Value>): ReactElement {
  const { label, isLabelHidden = false, cards, value, isGrid = false, onChange } = props;
  return (
    <RadioGroup className="ui-stack-tight" value={value ?? null} onChange={(chosen) => onChange(chosen as Value)}>
      <Label className={isLabelHidden ? 'ui-hidden' : 'ui-label'}>{label}</Label>
      <div className="ui-cards" data-grid={isGrid ? true : undefined}>
        {cards.map((card) => (
          <RadioField key={card.value} value={card.value} className="ui-card-field">
            <RadioButton className="ui-card">
              <span className="ui-card-dot" />
              {card.icon !== undefined && <Icon name={card.icon} />}
              <span className="ui-card-text">
                <span className="ui-card-title">{card.title}</span>
                {card.hint !== undefined && <span className="ui-hint">{card.hint}</span>}
              </span>
              {card.aside !== undefined && <span className="ui-card-aside">{card.aside}</span>}
            </RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
