import type { ConfiguredSet, SetForm } from '../../model/set.ts';
import type { NewSet } from './new-set.ts';

/** Converts a set for the window's editor. */
export function formOfSet(set: ConfiguredSet): SetForm {
  const { schedule = 'manual', conditions = {}, limits = {} } = set;
  const { hooks: _commands, ...rules } = set;
  return { ...rules, schedule, conditions, limits };
}

/** Converts a form of the window's editor. Rules that do not restrict anything are omitted. */
export function setOfForm({ schedule, conditions, limits, ...rest }: SetForm): NewSet {
  return {
    ...rest,
    ...(schedule === 'manual' ? {} : { schedule }),
    ...(restricts(conditions) ? { conditions } : {}),
    ...(restricts(limits) ? { limits } : {}),
  };
}

function restricts(rules: object): boolean {
  return Object.values(rules).some((value) => value !== undefined && value !== false);
}
