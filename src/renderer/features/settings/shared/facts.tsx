import type { ReactElement } from 'react';

interface FactsProps {
  /** A further value of the fact before it has an empty name. A path reads from left to right in every language. */
  readonly facts: readonly (readonly [name: string, value: string, kind?: 'path'])[];
}

export function Facts({ facts }: FactsProps): ReactElement {
  return (
    <dl className="settings-facts">
      {facts.map(([name, value, kind]) => (
        <div key={`${name} ${value}`}>
          <dt className="ui-soft">{name}</dt>
          <dd>{kind === 'path' ? <bdi dir="ltr">{value}</bdi> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
