import type { ReactElement } from 'react';
import type { SetState } from '../../../ipc/state.ts';
import type { ActiveRun, LastRun } from '../../../model/run.ts';
import { decisionSentence, latenessSentence, verificationSentence } from '../../../strings/decision-sentence.ts';
import { agoWords, partDone, runSentence } from '../../../strings/state-sentence.ts';
import { shortPath } from '../../../strings/short-path.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { MenuButton } from '../../../ui/buttons/menu-button.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Progress } from '../../../ui/feedback/progress.tsx';
import type { Tone } from '../../../ui/theme/tone.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { AbsentFolders } from './absent/absent-folders.tsx';

/** Folders to list. */
const NAMED = 3;

const TONES: Readonly<Record<LastRun['outcome'], Tone>> = {
  succeeded: 'good',
  warnings: 'warning',
  failed: 'bad',
  cancelled: 'plain',
  interrupted: 'warning',
};

interface SetCardProps {
  readonly set: SetState;
  readonly now: number;
  readonly onEdit: () => void;
  readonly onVerify: () => void;
  readonly onRemove: () => void;
}

/** A summary of a set: its folders, its schedule and its last backup. */
export function SetCard({ set, now, onEdit, onVerify, onRemove }: SetCardProps): ReactElement {
  const language = useLanguage();
  const { strings } = language;
  const words = strings.sets;
  const run = useAppState((state) => state.runs.find((one) => one.set === set.name));
  const acting = useAction();
  const check = set.verification && verificationSentence(set.verification, language, now);
  const late = latenessSentence(set, language);
  return (
    <Panel
      title={set.name}
      actions={
        <>
          {run ? (
            <Button
              label={strings.home.actions.stopRun(set.name)}
              isPending={acting.isPending || run.phase === 'stopping'}
              onPress={() => acting.run(() => call('runs.stop', { run: run.id }))}
            >
              {words.stop}
            </Button>
          ) : (
            <Button
              label={strings.home.actions.backUpSet(set.name)}
              isPending={acting.isPending}
              onPress={() => acting.run(() => call('runs.backup', { set: set.name }))}
            >
              {strings.common.backUpNow}
            </Button>
          )}
          <Button label={words.editOf(set.name)} onPress={onEdit}>
            {words.edit}
          </Button>
          <MenuButton
            label={words.more(set.name)}
            kind="quiet"
            choices={[
              { id: 'verify', label: words.verify.action, icon: 'security', onChoose: onVerify },
              { id: 'remove', label: words.remove.action, icon: 'remove', isDanger: true, onChoose: onRemove },
            ]}
          />
        </>
      }
    >
      <div className="ui-stack-tight">
        <p className="set-fact">
          <Icon name="folder" />
          <span>
            {set.roots.slice(0, NAMED).map((root) => (
              <span key={root} className="set-root" title={root}>
                <bdi dir="ltr">{shortPath(root, 48)}</bdi>
              </span>
            ))}
            {set.roots.length > NAMED && <span className="ui-soft">{words.moreFolders(set.roots.length - NAMED)}</span>}
          </span>
        </p>
        <p className="set-fact">
          <Icon name="clock" />
          <span>
            {decisionSentence(set.decision, language, now)}
            {late !== undefined && <span className="ui-soft"> · {late}</span>}
          </span>
        </p>
        {check !== undefined && (
          <p className="set-fact">
            <Icon name="security" />
            <span>{check}</span>
          </p>
        )}
        <LastBackup set={set} now={now} />
      </div>
      <AbsentFolders set={set.name} />
      {run && <RunLine run={run} />}
      <FailureNotice failure={acting.failure} />
    </Panel>
  );
}

function LastBackup({ set, now }: { readonly set: SetState; readonly now: number }): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.sets;
  const { lastPoint, lastBackup, isResumable } = set;
  return (
    <p className="set-fact">
      <Icon name="backups" />
      <span>
        {lastPoint ? (
          <>
            <span title={formats.dateTime(lastPoint.at)}>{words.last(agoWords(lastPoint.at, language, now))}</span>
            <span className="ui-soft">
              {' '}
              · {words.size(words.files(lastPoint.files), formats.bytes(lastPoint.bytes))}
            </span>
          </>
        ) : (
          words.never
        )}{' '}
        {lastBackup && lastBackup.outcome !== 'succeeded' && (
          <Badge tone={TONES[lastBackup.outcome]}>{words.outcome[lastBackup.outcome]}</Badge>
        )}
        {isResumable && <span className="ui-soft set-resumable">{words.resumable}</span>}
      </span>
    </p>
  );
}

function RunLine({ run }: { readonly run: ActiveRun }): ReactElement {
  const language = useLanguage();
  return <Progress label={runSentence(run, language)} part={partDone(run)} />;
}
