import type { DestinationChoice } from '../../../../ipc/contract/setup.ts';
import type { ChoiceOf } from '../destination-draft.ts';

/** Fields that edit a choice of one kind. */
export interface FieldsProps<Kind extends DestinationChoice['kind'] = DestinationChoice['kind']> {
  readonly choice: ChoiceOf<Kind>;
  /** Marks empty fields, after the person has tried to continue. */
  readonly isChecked: boolean;
  readonly onChange: (choice: ChoiceOf<Kind>) => void;
}
