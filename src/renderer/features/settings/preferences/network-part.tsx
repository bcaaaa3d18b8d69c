import type { ReactElement } from 'react';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { PreferenceControl } from './use-preferences.ts';

interface NetworkPartProps {
  readonly control: PreferenceControl;
}

export function NetworkPart({ control: { preferences, change } }: NetworkPartProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.settings;
  const hint = (limit: number | undefined): string =>
    limit === undefined ? words.noLimit : words.limitIs(formats.speed(limit * 1024));
  return (
    <Panel title={words.limits}>
      <div className="settings-pair">
        <NumberField
          label={words.upload}
          unit={words.limitUnit}
          hint={hint(preferences.uploadKiB)}
          minimum={1}
          value={preferences.uploadKiB}
          onChange={(uploadKiB) => change({ uploadKiB })}
        />
        <NumberField
          label={words.download}
          unit={words.limitUnit}
          hint={hint(preferences.downloadKiB)}
          minimum={1}
          value={preferences.downloadKiB}
          onChange={(downloadKiB) => change({ downloadKiB })}
        />
      </div>
      <p className="ui-hint">{words.limitsHint}</p>
    </Panel>
  );
}
