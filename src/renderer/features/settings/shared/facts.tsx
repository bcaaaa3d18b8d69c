import type { ReactElement } from 'react';

interface FactsProps {
  /** A further value of the fact before it has an empty name. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

export function Facts({ facts }: FactsProps): ReactElement {
  return (
    <dl className="settings-facts">
      {facts.map(([name, value]) => (
        <div key={`${name} ${value}`}>
          <dt className="ui-soft">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
