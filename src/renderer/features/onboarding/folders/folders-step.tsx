import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactElement } from 'react';
import type { SetForm } from '../../../../model/set.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Draft, FirstSchedule, Recommended } from '../page/draft.ts';
import { FolderList } from './folder-list.tsx';
import type { Suggestion } from './folder-list.tsx';
import { FolderTotal } from './folder-total.tsx';
import { RECOMMENDED_POLICY } from '../../sets/draft/recommended-policy.ts';
import { RecommendedLine } from './recommended.tsx';
import { plainRoots } from './roots.ts';
import { SCHEDULES } from './schedules.ts';
import { StepPage } from '../page/step-page.tsx';
import { useFolderSizes } from './use-folder-sizes.ts';
import { isEqual } from '../../../bridge/deep-equality.ts';
import './folders-step.css';

interface FoldersStepProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onStarted: () => void;
  readonly onLater: () => void;
  readonly onBack: () => void;
}

/** Chooses what is backed up. Everything has a default, so that one press starts the backup. */
export function FoldersStep(props: FoldersStepProps): ReactElement {
  const { draft, onChange, onStarted, onLater, onBack } = props;
  const { strings } = useLanguage();
  const words = strings.onboarding.folders;
  const suggestions = useCall('sets.suggestions', {});
  const presets = useCall('sets.presets', {});
  const action = useAction();
  const [isChecked, setChecked] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const home = useAppState((state) => state.home);
  const preferences = useAppState((state) => state.preferences);
  const abilities = useCall('shell.abilities', {});
  const canStartAtLogin = abilities.kind === 'ready' && abilities.value.startAtLogin;
  // At a service, its owners and admins decide what is kept.
  const canThinOut = useAppState((state) => state.destination?.kind !== 'service') === true;
  const { saved } = draft;

  const folders = suggestions.kind === 'ready' ? suggestions.value.folders : [];
  const chosen = draft.chosen ?? suggestedFolders(folders);
  const defaults =
    presets.kind === 'ready'
      ? presets.value.presets.filter(({ isDefault }) => isDefault).map(({ name }) => name)
      : undefined;
  const shown = [...folders.map(({ path }) => path), ...draft.added];
  const counted = shown.filter((path) => chosen.includes(path) || folders.some((one) => isCounted(one, path)));
  const sizes = useFolderSizes(counted, defaults);
  const roots = plainRoots(shown.filter((path) => chosen.includes(path)));
  const name = (draft.setName ?? words.defaultName).trim();

  const isKnown = [suggestions, presets, abilities].every(({ kind }) => kind !== 'waiting');
  const start = (): void => {
    if (!isKnown) return setWanted(true);
    setChecked(true);
    if (roots.length === 0 || name === '' || !defaults) return;
    action.run(async (isShown) => {
      const form = formOf({ name, roots, presets: defaults, schedule: draft.schedule, recommended: draft.recommended });
      if (!isEqual(form, saved?.form)) {
        // Holdfast's own data is always left out, which needs no message.
        const passedOver = (await save(form, saved)).filter((path) => path !== home);
        onChange({ saved: { form, passedOver } });
        // The person has to see which chosen folders are left out before the backup starts.
        if (passedOver.length > 0) return;
      }
      if (canThinOut) {
        const policy = draft.recommended.thinsOut ? RECOMMENDED_POLICY : {};
        await call('sets.retention.save', { set: name, policy });
      }
      const { startAtLogin } = draft.recommended;
      if (preferences && canStartAtLogin && preferences.startAtLogin !== startAtLogin) {
        await call('preferences.save', { preferences: { ...preferences, startAtLogin } });
      }
      await call('runs.backup', { set: name });
      if (isShown()) onStarted();
    });
  };
  // A press before the folders and presets are known counts once they are.
  const isDue = isWanted && isKnown;
  const startLate = useEffectEvent(start);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- it does what the press would have done
    if (isDue) startLate();
  }, [isDue]);
  return (
    <StepPage
      title={words.title}
      intro={words.intro}
      next={words.start}
      isPending={action.isPending || (isWanted && !isKnown)}
      aside={
        <Button kind="quiet" onPress={onLater}>
          {words.later}
        </Button>
      }
      onNext={start}
      onBack={onBack}
    >
      <Loaded resource={suggestions}>
        {() => (
          <FolderList
            suggestions={folders}
            added={draft.added}
            chosen={chosen}
            sizes={sizes}
            onChoose={(next) => onChange({ chosen: next })}
          />
        )}
      </Loaded>
      <AddFolder onAdd={(path) => onChange(withFolder(path, draft.added, chosen, shown))} />
      {isChecked && roots.length === 0 && (
        <p role="alert" className="ui-field-error">
          {words.none}
        </p>
      )}
      <FolderTotal roots={roots} sizes={sizes} />
      <div className="ui-stack first-fields-pairs">
        <TextField
          label={words.name}
          name="set-name"
          maxLength={100}
          value={draft.setName ?? words.defaultName}
          error={isChecked && name === '' ? words.nameMissing : undefined}
          onChange={(next) => onChange({ setName: next })}
        />
        <Select
          label={words.often}
          value={draft.schedule}
          options={SCHEDULES.map((value) => ({ value, label: words.schedules[value] }))}
          onChange={(schedule) => onChange({ schedule })}
        />
      </div>
      <RecommendedLine
        chosen={draft.recommended}
        can={{ startAtLogin: canStartAtLogin, thinsOut: canThinOut }}
        onChange={(recommended) => onChange({ recommended })}
      />
      {saved && saved.passedOver.length > 0 && (
        <div className="first-news">
          <Notice tone="warning">
            <p>{words.passedOver}</p>
            <ul>
              {saved.passedOver.map((path) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
      {presets.kind === 'failed' && <FailureNotice failure={presets.failure} onRetry={presets.reload} />}
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}

/**
 * Saves the set in the place of the one that was saved before, whatever its name. Returns the folders that are left
 * out.
 */
async function save(form: SetForm, saved: Draft['saved']): Promise<readonly string[]> {
  const before = saved?.form.name;
  if (before === form.name) return (await call('sets.save', { set: before, form })).passedOver;
  const { passedOver } = await call('sets.add', { form });
  if (before !== undefined) await call('sets.remove', { set: before });
  return passedOver;
}

function AddFolder({ onAdd }: { readonly onAdd: (path: string) => void }): ReactElement {
  const words = useLanguage().strings.onboarding.folders;
  const action = useAction();
  const add = (): void =>
    action.run(async () => {
      const { path } = await call('shell.choose-folder', { title: words.addTitle });
      if (path !== undefined) onAdd(path);
    });
  return (
    <div className="ui-stack-tight">
      <div>
        <Button isPending={action.isPending} onPress={add}>
          <Icon name="plus" />
          {words.add}
        </Button>
      </div>
      <FailureNotice failure={action.failure} />
    </div>
  );
}

/** Suggests the person's own folders, and the home folder only if there are none. */
function suggestedFolders(folders: readonly Suggestion[]): readonly string[] {
  const own = folders.filter(({ kind }) => kind !== 'home' && kind !== 'downloads');
  return (own.length > 0 ? own : folders).map(({ path }) => path);
}

/** The home folder is large, so it is counted only after it is chosen. */
function isCounted({ path, kind }: Suggestion, wanted: string): boolean {
  return path === wanted && kind !== 'home';
}

function withFolder(
  path: string,
  added: readonly string[],
  chosen: readonly string[],
  shown: readonly string[],
): Partial<Draft> {
  return {
    added: shown.includes(path) ? added : [...added, path],
    chosen: chosen.includes(path) ? chosen : [...chosen, path],
  };
}

interface FirstSet {
  readonly name: string;
  readonly roots: readonly string[];
  readonly presets: readonly string[];
  readonly schedule: FirstSchedule;
  readonly recommended: Recommended;
}

function formOf({ name, roots, presets, schedule, recommended }: FirstSet): SetForm {
  return {
    name,
    roots: [...roots],
    excludes: [],
    presets: [...presets],
    oneFileSystem: false,
    privateNames: recommended.privateNames,
    ...(schedule === 'manual' ? {} : { schedule: schedule === 'daily' ? 'daily 12:00' : schedule }),
    ...(recommended.checksMonthly ? { verification: { everyDays: 30, samplePercent: 5 } } : {}),
    ...(recommended.drillsWeekly ? { drill: { everyDays: 7 } } : {}),
  };
}
