import type { ReactElement } from 'react';

interface FactsProps {
  /** What is said more of the one before has no name of its own. */
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
