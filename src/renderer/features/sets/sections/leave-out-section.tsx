import { useState } from 'react';
import type { ReactElement } from 'react';
import type { RuleEffect } from '../../../../ipc/contract/sets.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Chip } from '../../../../ui/buttons/chip.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Checkbox } from '../../../../ui/choices/checkbox.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { CutText } from '../../../shared/cut-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft, useDraft, writePattern } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { patternIn, patternProblem } from '../draft/pattern.ts';
import { RuleEffectLine } from '../estimate/rule-effect-line.tsx';
import type { Counted } from '../estimate/use-estimate.ts';

interface LeaveOutSectionProps {
  readonly draft: Draft;
  readonly counted: Counted;
}

/** The exclusion rules, with what each of them excludes and saves. */
export function LeaveOutSection({ draft, counted }: LeaveOutSectionProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.leaveOut;
  return (
    <div className="ui-stack">
      <p className="ui-soft">{words.lead}</p>
      <OwnRules excludes={draft.excludes} counted={counted} />
      <Presets chosen={draft.presets} counted={counted} />
      <div className="set-switches ui-stack">
        <Switch
          label={strings.sets.what.oneFileSystem}
          hint={strings.sets.what.oneFileSystemHint}
          isSelected={draft.oneFileSystem}
          onChange={(oneFileSystem) => changeDraft({ oneFileSystem })}
        />
        <Switch
          label={strings.sets.what.online}
          hint={strings.sets.what.onlineHint}
          isSelected={draft.onlineFiles === 'fetch'}
          onChange={(on) => changeDraft({ onlineFiles: on ? 'fetch' : 'skip' })}
        />
        <Switch
          label={words.private}
          hint={words.privateHint}
          isSelected={draft.privateNames}
          onChange={(privateNames) => changeDraft({ privateNames })}
        />
      </div>
    </div>
  );
}

interface PresetsProps {
  readonly chosen: readonly string[];
  readonly counted: Counted;
}

function Presets({ chosen, counted }: PresetsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.leaveOut;
  const names = words.preset as Readonly<Record<string, string>>;
  const answer = useCall('sets.presets', {});
  return (
    <section className="ui-stack-tight">
      <h3>{words.presets}</h3>
      <Loaded resource={answer}>
        {({ presets }) => (
          <ul className="ui-stack-tight">
            {presets.map(({ name, patterns }) => (
              <li key={name} className="set-rule">
                <Checkbox
                  isSelected={chosen.includes(name)}
                  onChange={(on) =>
                    changeDraft({ presets: on ? [...chosen, name] : chosen.filter((one) => one !== name) })
                  }
                >
                  {names[name] ?? name}
                </Checkbox>
                <p className="ui-hint ui-ellipsis">
                  {patterns.length > 0 ? (
                    <CutText text={words.contains} part={patterns.join('  ')} direction="ltr" />
                  ) : (
                    words.marked
                  )}
                </p>
                {chosen.includes(name) && (
                  <RuleEffectLine
                    rule={names[name] ?? name}
                    effect={effectOf(counted, `preset:${name}`)}
                    counted={counted}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

interface OwnRulesProps {
  readonly excludes: readonly string[];
  readonly counted: Counted;
}

function OwnRules({ excludes, counted }: OwnRulesProps): ReactElement {
  const words = useLanguage().strings.sets.leaveOut;
  const text = useDraft((held) => held.written);
  const [isTried, setTried] = useState(false);
  const problem = patternProblem(text, excludes);
  const add = (): void => {
    if (problem) {
      setTried(true);
      return;
    }
    changeDraft({ excludes: [...excludes, patternIn(text)] });
    writePattern('');
    setTried(false);
  };
  return (
    <section className="ui-stack-tight">
      <h3>{words.rules}</h3>
      {excludes.length === 0 && <p className="ui-soft">{words.noRules}</p>}
      <ul className="ui-stack-tight">
        {excludes.map((pattern) => (
          <li key={pattern} className="set-rule">
            <ul>
              <Chip
                label={words.remove(pattern)}
                onRemove={() => changeDraft({ excludes: excludes.filter((one) => one !== pattern) })}
              >
                <code>{pattern}</code>
              </Chip>
            </ul>
            <Effect pattern={pattern} counted={counted} />
          </li>
        ))}
      </ul>
      <div className="set-adding">
        <TextField
          spellCheck="false"
          label={words.pattern}
          hint={words.patternHint}
          value={text}
          error={isTried && problem ? words.problems[problem] : undefined}
          isCode
          onChange={writePattern}
          onEnter={add}
        />
        <Button onPress={add}>{words.add}</Button>
      </div>
      {!problem && <Effect pattern={patternIn(text)} counted={counted} />}
    </section>
  );
}

function Effect({ pattern, counted }: { readonly pattern: string; readonly counted: Counted }): ReactElement {
  const words = useLanguage().strings.sets.leaveOut;
  if (pattern.startsWith('!')) return <p className="ui-hint">{words.keeps}</p>;
  return <RuleEffectLine rule={pattern} effect={effectOf(counted, pattern)} counted={counted} />;
}

function effectOf(counted: Counted, rule: string): RuleEffect | undefined {
  return counted.kind === 'known' ? counted.estimate.rules.find((one) => one.rule === rule) : undefined;
}
