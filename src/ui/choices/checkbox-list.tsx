import type { ReactElement } from 'react';
import { CheckboxButton, CheckboxField, CheckboxGroup, Label } from 'react-aria-components';
import { Tick } from './tick.tsx';

interface CheckboxListProps {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

/** A choice of any number of a few options. */
export function CheckboxList({ label, options, value, onChange }: CheckboxListProps): ReactElement {
  return (
    <CheckboxGroup className="ui-stack-tight" value={[...value]} onChange={onChange}>
      <Label className="ui-label">{label}</Label>
      <div className="ui-checkboxes">
        {options.map((option) => (
          <CheckboxField key={option.value} value={option.value}>
            <CheckboxButton className="ui-checkbox">
              {({ isSelected }) => (
                <>
                  <Tick state={isSelected ? 'on' : 'off'} />
                  {option.label}
                </>
              )}
            </CheckboxButton>
          </CheckboxField>
        ))}
      </div>
    </CheckboxGroup>
  );
}
