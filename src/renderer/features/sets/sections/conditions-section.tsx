import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Conditions } from '../../../../model/set.ts';
import { Chip } from '../../../../ui/buttons/chip.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import { without } from './without.ts';

const FIRST_CHARGE = 30;

/** Conditions for starting a scheduled run. */
export function ConditionsSection({ conditions }: { readonly conditions: Conditions }): ReactElement {
  const words = useLanguage().strings.sets.conditions;
  const { batteryAtLeast, onlyOnMains = false, notMetered = false, networks } = conditions;
  const change = (next: Conditions): void => changeDraft({ conditions: next });
  return (
    <div className="ui-stack set-switches">
      <p className="ui-soft">{words.lead}</p>
      <Switch
        label={words.mains}
        hint={words.mainsHint}
        isSelected={onlyOnMains}
        onChange={(on) =>
          change(
            on ? { ...without(conditions, 'batteryAtLeast'), onlyOnMains: true } : without(conditions, 'onlyOnMains'),
          )
        }
      />
      <Switch
        label={words.battery}
        hint={words.batteryHint}
        isSelected={batteryAtLeast !== undefined}
        isDisabled={onlyOnMains}
        onChange={(on) =>
          change(on ? { ...conditions, batteryAtLeast: FIRST_CHARGE } : without(conditions, 'batteryAtLeast'))
        }
      />
      {batteryAtLeast !== undefined && (
        <div className="set-inset">
          <NumberField
            label={words.batteryLevel}
            unit={words.percent}
            value={batteryAtLeast}
            minimum={1}
            maximum={100}
            onChange={(percent) => change({ ...conditions, batteryAtLeast: percent ?? FIRST_CHARGE })}
          />
        </div>
      )}
      <Switch
        label={words.metered}
        hint={words.meteredHint}
        isSelected={notMetered}
        onChange={(on) => change(on ? { ...conditions, notMetered: true } : without(conditions, 'notMetered'))}
      />
      <Switch
        label={words.networks}
        hint={words.networksHint}
        isSelected={networks !== undefined}
        onChange={(on) => change(on ? { ...conditions, networks: [] } : without(conditions, 'networks'))}
      />
      {networks && <Networks names={networks} onChange={(names) => change({ ...conditions, networks: [...names] })} />}
    </div>
  );
}

interface NetworksProps {
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function Networks({ names, onChange }: NetworksProps): ReactElement {
  const words = useLanguage().strings.sets.conditions;
  const [text, setText] = useState('');
  const add = (): void => {
    const name = text.trim();
    if (name !== '' && !names.includes(name)) onChange([...names, name]);
    setText('');
  };
  return (
    <div className="ui-stack-tight set-inset">
      {names.length > 0 && (
        <ul className="ui-chips">
          {names.map((name) => (
            <Chip
              key={name}
              label={words.removeNetwork(name)}
              onRemove={() => onChange(names.filter((one) => one !== name))}
            >
              {name}
            </Chip>
          ))}
        </ul>
      )}
      <div className="set-adding">
        <TextField spellCheck="false" label={words.network} value={text} onChange={setText} onEnter={add} />
        <Button onPress={add}>{words.addNetwork}</Button>
      </div>
    </div>
  );
}
