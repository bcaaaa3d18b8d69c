import type { ReactElement } from 'react';
import { Button, Input, Label, SearchField as AriaSearchField } from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Enter. */
  readonly onSubmit?: (value: string) => void;
}

/** Filters what is shown below it. Escape clears it. */
export function SearchField({ label, placeholder = label, value, onChange, onSubmit }: SearchFieldProps): ReactElement {
  return (
    <AriaSearchField className="ui-search" value={value} onChange={onChange} {...(onSubmit && { onSubmit })}>
      <Label className="ui-hidden">{label}</Label>
      <Icon name="search" />
      <Input className="ui-input" placeholder={placeholder} />
      <Button className="ui-search-clear">
        <Icon name="close" />
      </Button>
    </AriaSearchField>
  );
}
