import type { ReactElement, ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';

interface ButtonProps {
  readonly children: ReactNode;
  /** `primary` once a view at most. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  /** Shown as under way. It keeps the focus; what it does has to see to it that a second press does nothing. */
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  /** Where the words alone do not say on what it acts. */
  readonly label?: string;
  readonly onPress?: () => void;
}

export function Button(props: ButtonProps): ReactElement {
  const { children, kind = 'plain', type = 'button', isPending = false, label, ...rest } = props;
  return (
    <AriaButton
      className="ui-button"
      data-kind={kind}
      data-pending={isPending ? true : undefined}
      type={type}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...rest}
    >
      {children}
    </AriaButton>
  );
}
