import type { ReactElement } from 'react';
import { Button, Input, Label, SearchField as AriaSearchField } from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Filters what is shown below it. Escape clears it. */
export function SearchField({ label, placeholder = label, value, onChange }: SearchFieldProps): ReactElement {
  return (
    <AriaSearchField className="ui-search" value={value} onChange={onChange}>
      <Label className="ui-hidden">{label}</Label>
      <Icon name="search" />
      <Input className="ui-input" placeholder={placeholder} />
      <Button className="ui-search-clear">
        <Icon name="close" />
      </Button>
    </AriaSearchField>
  );
}
