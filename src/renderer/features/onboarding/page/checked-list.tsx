import type { ReactElement } from 'react';
import { Icon } from '../../../../ui/icon.tsx';

/** Facts that are settled, each with a check mark. */
export function CheckedList({ facts }: { readonly facts: readonly string[] }): ReactElement {
  return (
    <ul className="first-facts">
      {facts.map((fact) => (
        <li key={fact}>
          <Icon name="check" />
          <span>{fact}</span>
        </li>
      ))}
    </ul>
  );
}
