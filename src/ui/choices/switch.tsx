import type { ReactElement } from 'react';
import { SwitchButton, SwitchField, Text } from 'react-aria-components';

interface SwitchProps {
  readonly label: string;
  readonly hint?: string;
  readonly isSelected: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

/** Turns something on or off immediately. */
export function Switch({ label, hint, isSelected, isDisabled = false, onChange }: SwitchProps): ReactElement {
  return (
    <SwitchField className="ui-switch-field" isSelected={isSelected} isDisabled={isDisabled} onChange={onChange}>
      <SwitchButton className="ui-switch">
        <span className="ui-switch-label">{label}</span>
        <span className="ui-switch-track">
          <span className="ui-switch-knob" />
        </span>
      </SwitchButton>
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
    </SwitchField>
  );
}
