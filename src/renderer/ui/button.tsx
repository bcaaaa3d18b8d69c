import type { ReactElement, ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';

interface ButtonProps {
  readonly children: ReactNode;
  /** `primary` once a view at most. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  /** Shown as under way; presses do nothing meanwhile, and the focus stays. */
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  /** Where the words alone do not say on what it acts. */
  readonly label?: string;
  readonly onPress?: () => void;
}

export function Button({ children, kind = 'plain', type = 'button', label, ...rest }: ButtonProps): ReactElement {
  return (
    <AriaButton
      className="ui-button"
      data-kind={kind}
      type={type}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...rest}
    >
      {children}
    </AriaButton>
  );
}
