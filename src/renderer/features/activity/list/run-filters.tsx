import type { ReactElement } from 'react';
import { outcome, runKind } from '../../../../model/run.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useDestinationNames } from '../../../shared/use-destination-names.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { RunFilter } from './use-runs.ts';

interface RunFiltersProps {
  readonly filter: RunFilter;
  readonly onChange: (filter: RunFilter) => void;
}

/** Stands for no filter; names of sets are never empty. */
const ALL = '';

/** Filters of the runs: by set, kind and outcome, and by destination if there are several. */
export function RunFilters({ filter, onChange }: RunFiltersProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.activity.filters;
  const destinations = useDestinationNames();
  const sets = useAppState((state) => state.sets) ?? [];
  const choose = (name: keyof RunFilter) => (value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === ALL ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="act-filters">
      <Select
        label={words.set}
        isLabelHidden
        value={filter.set ?? ALL}
        options={[{ value: ALL, label: words.allSets }, ...sets.map(({ name }) => ({ value: name, label: name }))]}
        onChange={choose('set')}
      />
      <Select
        label={words.kind}
        isLabelHidden
        value={filter.kind ?? ALL}
        options={[
          { value: ALL, label: words.allKinds },
          ...runKind.options.map((kind) => ({ value: kind, label: words.kinds[kind] })),
        ]}
        onChange={choose('kind')}
      />
      <Select
        label={words.outcome}
        isLabelHidden
        value={filter.outcome ?? ALL}
        options={[
          { value: ALL, label: words.allOutcomes },
          ...outcome.options.map((end) => ({ value: end, label: words.outcomes[end] })),
        ]}
        onChange={choose('outcome')}
      />
      {destinations.size > 0 && (
        <Select
          label={words.destination}
          isLabelHidden
          value={filter.destination ?? ALL}
          options={[
            { value: ALL, label: words.allDestinations },
            ...[...destinations].map(([id, name]) => ({ value: id, label: name })),
          ]}
          onChange={choose('destination')}
        />
      )}
      {Object.keys(filter).length > 0 && (
        <Button kind="quiet" onPress={() => onChange({})}>
          {words.clear}
        </Button>
      )}
    </div>
  );
}
