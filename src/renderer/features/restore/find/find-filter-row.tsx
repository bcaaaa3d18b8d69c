import type { ReactElement } from 'react';
import { Checkbox } from '../../../../ui/choices/checkbox.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { setFilters } from '../store/restore-store.ts';
import type { FindFilters } from '../store/restore-store.ts';

/** Restricts what is found by kind, size and time, and to what was deleted. */
export function FindFilterRow({ filters }: { readonly filters: FindFilters }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.filters;
  const optionsOf = <Value extends string>(
    texts: Readonly<Record<Value, string>>,
  ): readonly { readonly value: Value; readonly label: string }[] =>
    (Object.keys(texts) as Value[]).map((value) => ({ value, label: texts[value] }));
  return (
    <div className="found-filters" role="group" aria-label={words.label}>
      <Select
        label={words.kind}
        isLabelHidden
        value={filters.kind}
        options={optionsOf(words.kinds)}
        onChange={(kind) => setFilters({ kind })}
      />
      <Select
        label={words.size}
        isLabelHidden
        value={filters.size}
        options={optionsOf(words.sizes)}
        onChange={(size) => setFilters({ size })}
      />
      <Select
        label={words.changed}
        isLabelHidden
        value={filters.changed}
        options={optionsOf(words.times)}
        onChange={(changed) => setFilters({ changed })}
      />
      <Checkbox isSelected={filters.isDeletedOnly} onChange={(isDeletedOnly) => setFilters({ isDeletedOnly })}>
        {words.deletedOnly}
      </Checkbox>
    </div>
  );
}
