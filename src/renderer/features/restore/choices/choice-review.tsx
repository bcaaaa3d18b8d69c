import { nameOf } from '../../../../model/entry-path.ts';
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { MAX_CHOICES, type ConflictChoice } from '../../../../model/restore-request.ts';
import type { MetEntry } from '../../../../ipc/contract/restore/restore.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { MenuButton } from '../../../../ui/buttons/menu-button.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import { VirtualList } from '../../../../ui/tables/virtual-list.tsx';
import { call } from '../../../bridge/bridge.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { isolatedName, readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { choiceOf, KINDS, NO_CHOICES, rowsOf, withChoice, withChoices } from './path-choices.ts';
import type { ChoiceRow, PathChoices, ShownKind } from './path-choices.ts';
import './choices.css';

/** Pixels. */
const ROW = 88;
const PAGE = 1000;
const TREATMENTS: readonly ConflictChoice[] = ['keep-both', 'skip', 'overwrite'];

/** What a plan has met, and the choice for all. */
export interface Reviewed {
  /** The handle for `restore.met`. */
  readonly plan: number;
  /** All conflicts, of which the first are listed. */
  readonly total: number;
}

interface ChoiceReviewProps {
  readonly reviewed: Reviewed;
  readonly forAll: ConflictChoice;
  readonly choices: PathChoices;
  readonly onDone: (choices: PathChoices) => void;
  readonly onCancel: () => void;
}

/** Lists the files that exist already, for a choice for each and for each folder. */
export function ChoiceReview({ reviewed, onCancel, ...props }: ChoiceReviewProps): ReactElement {
  const { strings } = useLanguage();
  const { plan, total } = reviewed;
  const met = useResource(useCallback(() => readMet(plan), [plan]));
  return (
    <ModalDialog title={strings.restore.choices.title} isWide onClose={onCancel}>
      <Loaded resource={met}>
        {(entries) => <Review {...props} met={entries} total={total} onCancel={onCancel} />}
      </Loaded>
    </ModalDialog>
  );
}

async function readMet(plan: number): Promise<readonly MetEntry[]> {
  const entries: MetEntry[] = [];
  for (;;) {
    const page = await call('restore.met', { plan, from: entries.length, count: PAGE });
    entries.push(...page.entries);
    if (page.entries.length === 0 || entries.length >= page.total) return entries;
  }
}

interface ReviewProps extends Omit<ChoiceReviewProps, 'reviewed'> {
  readonly met: readonly MetEntry[];
  readonly total: number;
}

function Review({ met, total, forAll, choices: initial, onDone, onCancel }: ReviewProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.choices;
  const [choices, setChoices] = useState(initial);
  const [shown, setShown] = useState<ShownKind>('all');
  const [isTooMuch, setTooMuch] = useState(false);
  const rows = useMemo(() => rowsOf(met, shown), [met, shown]);
  const count = (kind: ShownKind): string =>
    formats.number(kind === 'all' ? met.length : met.filter((entry) => entry.kind === kind).length);
  const change = (changed: PathChoices): void => {
    setTooMuch(changed.size > MAX_CHOICES);
    if (changed.size <= MAX_CHOICES) setChoices(changed);
  };
  const chooseShown = (choice: ConflictChoice): void => {
    const paths = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.path] : []));
    change(withChoices(choices, paths, choice, forAll));
  };
  const kinds = KINDS.filter((kind) => met.some((entry) => entry.kind === kind));
  return (
    <div className="restore-choices">
      <p className="ui-soft">{words.intro(words.treat[forAll])}</p>
      <div className="restore-choices-head">
        <Select
          label={words.show}
          isLabelHidden
          value={shown}
          options={(['all', ...kinds] as const).map((kind) => ({ value: kind, label: words.kinds[kind](count(kind)) }))}
          onChange={setShown}
        />
        <MenuButton
          label={words.all}
          choices={[
            ...TREATMENTS.map((choice) => ({
              id: choice,
              label: words.treat[choice],
              onChoose: () => chooseShown(choice),
            })),
            { id: 'discard', label: words.discard, isDisabled: choices.size === 0, onChoose: () => change(NO_CHOICES) },
          ]}
        >
          {words.all}
        </MenuButton>
      </div>
      <VirtualList
        label={words.title}
        items={rows}
        rowHeight={ROW}
        className="restore-choices-list"
        rowClassName="restore-choice"
        keyOf={(row) => (row.kind === 'folder' ? `${row.path}/` : row.entry.path)}
      >
        {(row) => (
          <Row
            row={row}
            forAll={forAll}
            choices={choices}
            onChoose={(path, choice) => change(withChoice(choices, path, choice, forAll))}
          />
        )}
      </VirtualList>
      {total > met.length && <p className="ui-hint">{words.cut(formats.number(met.length), formats.number(total))}</p>}
      {isTooMuch && (
        <p className="ui-hint" role="alert">
          {words.tooMany(formats.number(MAX_CHOICES))}
        </p>
      )}
      <div className="ui-actions">
        <Button onPress={onCancel}>{strings.common.cancel}</Button>
        <Button kind="primary" onPress={() => onDone(choices)}>
          {words.done}
        </Button>
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: ChoiceRow;
  readonly forAll: ConflictChoice;
  readonly choices: PathChoices;
  readonly onChoose: (path: string, choice: ConflictChoice) => void;
}

function Row({ row, forAll, choices, onChoose }: RowProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.choices;
  const path = row.kind === 'folder' ? row.path : row.entry.path;
  const name = nameOf(path);
  const isFolder = row.kind === 'folder';
  return (
    <>
      <span className="restore-choice-icon" data-folder={isFolder ? true : undefined}>
        <Icon name={isFolder || row.entry.type === 'directory' ? 'folder' : 'file'} />
      </span>
      <span className="restore-choice-text" title={readablePath(path)}>
        <span className="ui-ellipsis" dir="auto">
          {isFolder ? (
            <strong>
              <PathText path={path} />
            </strong>
          ) : (
            <PathText path={name} />
          )}
        </span>
        {isFolder ? <span className="ui-hint">{words.folder(row.files)}</span> : <Facts entry={row.entry} />}
      </span>
      {path !== '' && (
        <Select
          label={words.for(isolatedName(name))}
          isLabelHidden
          value={choiceOf(choices, path, forAll)}
          options={TREATMENTS.map((value) => ({ value, label: words.treat[value] }))}
          onChange={(choice) => onChoose(path, choice)}
        />
      )}
    </>
  );
}

function Facts({ entry: { kind, size, modified, there } }: { readonly entry: MetEntry }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.choices;
  return (
    <>
      <span className="ui-hint ui-ellipsis">
        {kind === 'newer' || kind === 'other-type' ? <strong>{words.kind[kind]}</strong> : words.kind[kind]}
      </span>
      <span className="ui-hint ui-ellipsis">
        {words.here(formats.bytes(there.size), formats.dateTime(there.modified))}
      </span>
      {modified !== undefined && (
        <span className="ui-hint ui-ellipsis">{words.then(formats.bytes(size), formats.dateTime(modified))}</span>
      )}
    </>
  );
}
