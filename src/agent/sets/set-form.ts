import type { SetForm } from '../../ipc/contract/sets.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import type { NewSet } from './new-set.ts';

/** A set as a person edits it. */
export function formOfSet(set: ConfiguredSet): SetForm {
  const { name, roots, excludes, presets, oneFileSystem, privateNames, schedule, verification } = set;
  return {
    name,
    roots: [...roots],
    excludes: [...excludes],
    presets: [...presets],
    oneFileSystem,
    privateNames,
    schedule: schedule ?? 'manual',
    conditions: set.conditions ?? {},
    limits: set.limits ?? {},
    ...(verification === undefined ? {} : { verification }),
  };
}

/** What is asked for with a form; what says nothing is left out. */
export function setOfForm(form: SetForm): NewSet {
  const { roots, schedule, conditions, limits, verification, ...rest } = form;
  return {
    ...rest,
    paths: roots,
    ...(schedule === 'manual' ? {} : { schedule }),
    ...(saysSomething(conditions) ? { conditions } : {}),
    ...(saysSomething(limits) ? { limits } : {}),
    ...(verification === undefined ? {} : { verification }),
  };
}

function saysSomething(values: object): boolean {
  return Object.values(values).some((value) => value !== undefined && value !== false);
}
