import type { ReactElement, ReactNode } from 'react';
import { CheckboxButton, CheckboxField, Text } from 'react-aria-components';
import { Tick } from './tick.tsx';

interface CheckboxProps {
  readonly children: ReactNode;
  readonly hint?: string;
  readonly isSelected: boolean;
  /** True if only a part of its items is chosen. */
  readonly isIndeterminate?: boolean;
  readonly isDisabled?: boolean;
  /** Accessible name, if the text alone does not say what is chosen. */
  readonly label?: string;
  readonly onChange: (isSelected: boolean) => void;
}

export function Checkbox(props: CheckboxProps): ReactElement {
  const { children, hint, isIndeterminate = false, label, ...rest } = props;
  return (
    <CheckboxField
      {...rest}
      isIndeterminate={isIndeterminate}
      {...(label === undefined ? {} : { 'aria-label': label })}
    >
      <CheckboxButton className="ui-checkbox">
        {({ isSelected }) => (
          <>
            <Tick state={isIndeterminate ? 'partly' : isSelected ? 'on' : 'off'} />
            {children !== '' && <span className="ui-checkbox-text">{children}</span>}
          </>
        )}
      </CheckboxButton>
      {hint !== undefined && (
        <Text slot="description" className="ui-hint ui-checkbox-hint">
          {hint}
        </Text>
      )}
    </CheckboxField>
  );
}
