import type { ReactElement, ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';

interface ButtonProps {
  readonly children: ReactNode;
  /** At most one button of a view is `primary`. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  /** Shows that the action is pending. The button keeps the focus and its presses are not blocked. */
  readonly isPending?: boolean;
  readonly isDisabled?: boolean;
  /** Accessible name, if the text alone does not name the object of the action. */
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
