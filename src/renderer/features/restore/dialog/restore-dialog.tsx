import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConflictChoice, RestoreRequest } from '../../../../model/restore-request.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { setStarted } from '../store/restore-store.ts';
import type { Asking, Source } from '../store/restore-store.ts';
import { ChoiceReview } from '../choices/choice-review.tsx';
import type { Reviewed } from '../choices/choice-review.tsx';
import { NO_CHOICES } from '../choices/path-choices.ts';
import type { PathChoices } from '../choices/path-choices.ts';
import { RestorePlan } from './restore-plan.tsx';
import type { Verdict } from './restore-plan.tsx';
import { chosenRequest } from '../store/chosen-request.ts';
import { countOf } from '../store/selection.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';
import { failureOf } from '../../../bridge/use-call.ts';
import './restore-dialog.css';

/** Selected entries to list. */
const NAMED = 6;

interface RestoreDialogProps {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  /** Its time. */
  readonly restorePoint: string;
  /** The same, formatted. */
  readonly when: string;
  readonly chosen: ChosenHere;
  /** Shows what is chosen at other times, too. */
  readonly times?: ReactElement | undefined;
  /** Initial values. */
  readonly asking: Asking;
  readonly onClose: () => void;
}

/** Asks for the target and how to treat existing files, and shows the plan before anything is written. */
export function RestoreDialog(props: RestoreDialogProps): ReactElement {
  const { strings } = useLanguage();
  const { source, restorePoint, when, chosen, times, asking, onClose } = props;
  const words = strings.restore.target;
  const own = useAppState((state) => state.device?.id);
  const isOwn = source.device === undefined || source.device === own;
  const [place, setPlace] = useState(placeOf(isOwn, asking));
  const [folder, setFolder] = useState(asking.to ?? undefined);
  const to = place === 'original' ? null : folder;
  const [treatment, setTreatment] = useState<Treatment>(
    asking.exact === true ? 'exact' : (asking.conflict ?? 'keep-both'),
  );
  const canBeExact = place === 'original' && isOwn && hasFolder(chosen);
  const isExact = canBeExact && treatment === 'exact';
  const conflict = treatment === 'exact' ? 'overwrite' : treatment;
  const [choices, setChoices] = useState(choicesOf(asking));
  const [reviewed, setReviewed] = useState<Reviewed>();
  const [verdict, setVerdict] = useState<Verdict>('unknown');
  const choosing = useAction();
  const starting = useAction();
  const kind = useAppState((state) => state.runs[0]?.kind);
  const busySet = useAppState((state) => state.runs[0]?.set);
  const busyWith = kind ?? (failureOf(starting.failure).code === 'home_busy' ? 'other' : undefined);
  const plain = requestOf(source, restorePoint, chosen, to, conflict);
  const request = plain && (isExact ? { ...plain, exact: true } : withChoices(plain, choices));
  const pick = (): void =>
    choosing.run(async () => {
      const { path } = await call('shell.choose-folder', {
        title: words.chooseTitle,
        ...(folder === undefined ? {} : { from: folder }),
      });
      if (path !== undefined) setFolder(path);
    });
  const start = (): void =>
    starting.run(async () => {
      if (!request) return;
      if (busyWith === undefined) setStarted({ run: (await call('restore.start', request)).run, request });
      else await call('restore.later', request);
      onClose();
    });
  if (reviewed) {
    const end = (): void => setReviewed(undefined);
    const take = (chosenNow: PathChoices): void => {
      setChoices(chosenNow);
      end();
    };
    return <ChoiceReview reviewed={reviewed} forAll={conflict} choices={choices} onDone={take} onCancel={end} />;
  }
  return (
    <ModalDialog title={words.title} hasColumns onClose={onClose}>
      <div className="ui-stack">
        <section className="restore-what" aria-label={words.what}>
          <p className="ui-soft">{times ? words.fromSet(source.set) : words.from(source.set, when)}</p>
          {times}
          <Chosen chosen={chosen} />
        </section>
        <RadioCards
          label={words.where}
          value={place}
          isGrid
          onChange={setPlace}
          cards={(['original', 'folder'] as const).map((value) => ({
            value,
            title: words.places[value].title,
            hint: words.places[value].hint,
          }))}
        />
        {place === 'folder' && (
          <section className="ui-stack-tight" aria-label={words.to}>
            <div className="restore-target">
              <span className={folder === undefined ? 'ui-soft' : 'restore-target-path ui-path'}>
                {folder ?? words.toNone}
              </span>
              <Button kind={folder === undefined ? 'primary' : 'plain'} isPending={choosing.isPending} onPress={pick}>
                {folder === undefined ? words.choose : words.chooseOther}
              </Button>
            </div>
            <FailureNotice failure={choosing.failure} />
          </section>
        )}
        <RadioCards
          label={place === 'original' ? words.conflictInPlace : words.conflict}
          value={isExact ? treatment : conflict}
          isGrid
          onChange={setTreatment}
          cards={TREATMENTS.filter((value) => value !== 'exact' || canBeExact).map((value) => ({
            value,
            title: words.conflicts[value].title,
            hint: value === 'overwrite' && place === 'original' ? words.replaceInPlace : words.conflicts[value].hint,
          }))}
        />
        <div className="ui-dialog-foot">
          {request && (
            <RestorePlan
              key={JSON.stringify(request)}
              request={request}
              conflict={conflict}
              onVerdict={setVerdict}
              onReview={setReviewed}
            />
          )}
          {busyWith === undefined ? (
            <FailureNotice failure={starting.failure} />
          ) : (
            <p className="ui-soft" role="status" data-live-announcer>
              {words.busy[busyWith](busySet ?? '')}
            </p>
          )}
          <div className="ui-actions">
            <Button onPress={onClose}>{strings.common.cancel}</Button>
            <Button
              kind={request ? 'primary' : 'plain'}
              isDisabled={!request || verdict === 'refused' || (verdict === 'unknown' && busyWith === undefined)}
              isPending={starting.isPending}
              onPress={start}
            >
              {busyWith === undefined ? words.start : words.startLater}
            </Button>
          </div>
        </div>
      </div>
    </ModalDialog>
  );
}

function choicesOf({ choices = [] }: Asking): PathChoices {
  return choices.length === 0 ? NO_CHOICES : new Map(choices.map(({ path, choice }) => [path, choice]));
}

function withChoices(request: RestoreRequest, choices: PathChoices): RestoreRequest {
  if (choices.size === 0) return request;
  return { ...request, choices: [...choices].map(([path, choice]) => ({ path, choice })) };
}

/** A folder may also go back as a whole. */
type Treatment = ConflictChoice | 'exact';

const TREATMENTS: readonly Treatment[] = ['keep-both', 'skip', 'overwrite', 'exact'];

function hasFolder({ selection: { chosen }, isEverything }: ChosenHere): boolean {
  return isEverything || [...chosen.values()].some(({ type }) => type === 'directory');
}

/** Another computer's files go to a folder, unless the person decides otherwise. */
function placeOf(isOwn: boolean, { to }: Asking): 'original' | 'folder' {
  if (to === undefined) return isOwn ? 'original' : 'folder';
  return to === null ? 'original' : 'folder';
}

/**
 * Returns `undefined` while the target or the selection is unknown. A selection of which nothing exists does not mean
 * everything.
 */
function requestOf(
  source: RestoreDialogProps['source'],
  restorePoint: string,
  chosen: ChosenHere,
  to: string | null | undefined,
  conflict: ConflictChoice,
): RestoreRequest | undefined {
  const { selection, isEverything, isLookingUp } = chosen;
  if (to === undefined || isLookingUp || (selection.chosen.size === 0 && !isEverything)) return undefined;
  return { ...chosenRequest(source, restorePoint, chosen), to, conflict };
}

function Chosen({
  chosen: { selection, missing, isLookingUp, isEverything },
}: {
  readonly chosen: ChosenHere;
}): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.chosen;
  if (isEverything) return <p>{words.all}</p>;
  if (isLookingUp) return <p className="ui-soft">{words.lookingUp}</p>;
  const { folders, files, leftOut } = countOf(selection);
  const entries = [...selection.chosen.values()];
  return (
    <>
      <p>
        {folders + files > 0 && words.some(folders, files)}
        {leftOut > 0 && <span className="ui-soft"> {words.leftOut(leftOut)}</span>}
      </p>
      <ul className="restore-names">
        {entries.slice(0, NAMED).map(({ path, name, type }) => (
          <li key={path} title={readablePath(path)}>
            <Icon name={type === 'directory' ? 'folder' : 'file'} />
            <span className="ui-ellipsis restore-name" dir="auto">
              <PathText path={name} />
            </span>
          </li>
        ))}
        {entries.length > NAMED && <li className="ui-soft">{words.more(entries.length - NAMED)}</li>}
      </ul>
      {missing > 0 && <p className="ui-hint">{entries.length === 0 ? words.noneThere : words.missing(missing)}</p>}
    </>
  );
}
