import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConflictChoice, RestorePoint, RestoreRequest } from '../../../ipc/restore.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ModalDialog } from '../../ui/modal-dialog.tsx';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';
import { setStarted, useRestore } from './restore-store.ts';
import type { Source } from './restore-store.ts';
import { RestorePlan } from './restore-plan.tsx';
import { countOf } from './selection.ts';
import type { Selection } from './selection.ts';

/** Chosen entries that are named. */
const NAMED = 6;

interface RestoreDialogProps {
  readonly source: Source;
  readonly point: RestorePoint;
  /** The time of the restore point in words. */
  readonly when: string;
  readonly onClose: () => void;
}

/** Where to, and what with files that are there already; then what will happen, before anything is written. */
export function RestoreDialog({ source, point, when, onClose }: RestoreDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.target;
  const selection = useRestore((held) => held.selection);
  const [to, setTo] = useState<string>();
  const [conflict, setConflict] = useState<ConflictChoice>('keep-both');
  const choosing = useAction();
  const starting = useAction();
  const { set, device } = source;
  const request: RestoreRequest | undefined =
    to === undefined
      ? undefined
      : {
          set,
          ...(device === undefined ? {} : { device }),
          restorePoint: point.restorePoint,
          paths: [...selection.keys()],
          to,
          conflict,
        };
  const choose = (): void =>
    choosing.run(async () => {
      const { path } = await call('shell.choose-folder', {
        title: words.chooseTitle,
        ...(to === undefined ? {} : { from: to }),
      });
      if (path !== undefined) setTo(path);
    });
  const start = (): void =>
    starting.run(async () => {
      if (!request) return;
      const { run } = await call('restore.start', request);
      setStarted({ run, request });
      onClose();
    });
  return (
    <ModalDialog title={words.title} onClose={onClose}>
      <div className="ui-stack">
        <section className="ui-stack-tight" aria-label={words.what}>
          <p className="ui-soft">{words.from(set, when)}</p>
          <Chosen selection={selection} />
        </section>
        <section className="ui-stack-tight" aria-label={words.to}>
          <h3>{words.to}</h3>
          <div className="restore-target">
            <span className={to === undefined ? 'ui-soft' : 'restore-target-path'}>{to ?? words.toNone}</span>
            <Button kind={to === undefined ? 'primary' : 'plain'} isPending={choosing.isPending} onPress={choose}>
              {to === undefined ? words.choose : words.chooseOther}
            </Button>
          </div>
          <p className="ui-hint">{words.inside}</p>
          <FailureNotice failure={choosing.failure} />
        </section>
        <RadioCards
          label={words.conflict}
          value={conflict}
          onChange={setConflict}
          cards={(['keep-both', 'skip', 'overwrite'] as const).map((value) => ({
            value,
            title: words.conflicts[value].title,
            hint: words.conflicts[value].hint,
          }))}
        />
        <div className="restore-dialog-foot">
          {request && <RestorePlan key={JSON.stringify(request)} request={request} conflict={conflict} />}
          <FailureNotice failure={starting.failure} />
          <div className="ui-actions">
            <Button onPress={onClose}>{strings.common.cancel}</Button>
            <Button
              kind={to === undefined ? 'plain' : 'primary'}
              isDisabled={to === undefined}
              isPending={starting.isPending}
              onPress={start}
            >
              {words.start}
            </Button>
          </div>
        </div>
      </div>
    </ModalDialog>
  );
}

function Chosen({ selection }: { readonly selection: Selection }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.chosen;
  if (selection.size === 0) return <p>{words.all}</p>;
  const { folders, files } = countOf(selection);
  const entries = [...selection.values()];
  return (
    <>
      <p>{words.some(folders, files)}</p>
      <ul className="restore-names">
        {entries.slice(0, NAMED).map(({ path, name, type }) => (
          <li key={path} title={path}>
            <Icon name={type === 'directory' ? 'folder' : 'file'} />
            <span className="restore-name">{name}</span>
          </li>
        ))}
        {entries.length > NAMED && <li className="ui-soft">{words.more(entries.length - NAMED)}</li>}
      </ul>
    </>
  );
}
