import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { CheckResult } from '../../../../ipc/contract/restore/check.ts';
import type { RunKind } from '../../../../model/run.ts';
import type { Language } from '../../../../strings/strings.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { VirtualList } from '../../../../ui/tables/virtual-list.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { lostFilesAmong, type LostFile } from './lost-files.ts';
import { isOwn } from './problem.ts';

interface CheckOutcomeProps {
  readonly kind: RunKind;
  readonly check: CheckResult;
}

/** What a check or a repair of the destination found: the verdict, what is lost file by file, and the damaged files. */
export function CheckOutcome({ kind, check }: CheckOutcomeProps): ReactElement {
  return (
    <>
      {kind === 'repair' ? <RepairVerdict check={check} /> : <CheckVerdict check={check} />}
      {check.losses.length > 0 && <Losses check={check} />}
      {check.findings.length > 0 && <Findings check={check} />}
    </>
  );
}

function CheckVerdict({ check }: { readonly check: CheckResult }): ReactElement {
  const words = useLanguage().strings.activity.check;
  const { findingsTotal, lossesTotal, isListSound, isStoredOnce } = check;
  const storedOnce = isStoredOnce && <p>{words.storedOnce}</p>;
  if (findingsTotal === 0 && lossesTotal === 0 && isListSound) {
    return (
      <Notice tone={isStoredOnce ? 'warning' : 'good'}>
        <p>{words.sound}</p>
        {storedOnce}
      </Notice>
    );
  }
  return (
    <Notice tone="bad">
      <p className="act-strong">{findingsTotal > 0 || !isListSound ? words.damagedTitle : words.lostTitle}</p>
      {findingsTotal > 0 && <p>{words.damaged(findingsTotal)}</p>}
      {!isListSound && <p>{words.listWrong}</p>}
      {storedOnce}
      <LossText check={check} />
    </Notice>
  );
}

function RepairVerdict({ check }: { readonly check: CheckResult }): ReactElement {
  const words = useLanguage().strings.activity.check;
  const { repair, lossesTotal } = check;
  const {
    found = 0,
    moved = 0,
    mended = 0,
    shown = 0,
    recovered = [],
    lost = [],
    mayIncludeRemoved = false,
  } = repair ?? {};
  const isWhole = lossesTotal === 0 && lost.length === 0;
  return (
    <>
      <Notice tone={isWhole ? 'good' : 'warning'}>
        <p className="act-strong">{found === 0 ? words.nothingToRepair : words.repairedTitle}</p>
        {found > 0 && <p>{words.repaired(found)}</p>}
        {mended > 0 && <p>{words.mended(mended)}</p>}
        {shown > 0 && <p>{words.shown(shown)}</p>}
        {moved > 0 && <p>{words.moved(moved)}</p>}
        {recovered.length > 0 && (
          <p>
            {words.recovered(recovered.length)} {mayIncludeRemoved && words.mayIncludeRemoved}
          </p>
        )}
        {lost.length > 0 && <p>{words.lostPoints(lost.length)}</p>}
        {isWhole && found > 0 && <p>{words.allKept}</p>}
        <LossText check={check} />
      </Notice>
      {lost.length > 0 && <LostPoints points={lost} />}
    </>
  );
}

/** How much is lost, and what the next backup stores again. */
function LossText({ check: { losses, lostFiles } }: { readonly check: CheckResult }): ReactElement | null {
  const words = useLanguage().strings.activity.check;
  if (lostFiles === 0) return null;
  const here = lostFilesAmong(losses).filter(({ isHere }) => isHere).length;
  return (
    <p>
      {words.lost(lostFiles)} {here > 0 ? words.heals(here) : words.healsNone}
    </p>
  );
}

function LostPoints({ points }: { readonly points: NonNullable<CheckResult['repair']>['lost'] }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.activity.check;
  return (
    <Panel title={words.lostPoints(points.length)}>
      <ul className="ui-stack-tight">
        {points.map(({ device, deviceName, set, restorePoint }) => (
          <li key={`${device} ${set} ${restorePoint}`}>
            {words.lossOf(set, deviceName ?? device, formats.dateTime(restorePoint))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Pixels: one line for the path and two for the explanation. */
const ROW = 76;
/** The list scrolls if it has more rows. */
const TALLEST = 6;
const BORDER = 1;

function Losses({ check }: { readonly check: CheckResult }): ReactElement {
  const language = useLanguage();
  const words = language.strings.activity.check;
  const rows = useMemo(
    () =>
      lostFilesAmong(check.losses).map((file, key): Row => {
        const { name, why } = lossText(file, language);
        return { key, name, why, isHere: file.isHere };
      }),
    [check, language],
  );
  const unlisted = check.lostFiles - lostFilesAmong(check.losses).reduce((sum, { entries }) => sum + entries, 0);
  return (
    <Panel title={words.losses}>
      <Rows label={words.losses} rows={rows} />
      {unlisted > 0 && <p className="ui-soft">{words.more(unlisted)}</p>}
    </Panel>
  );
}

function lossText(
  { device, deviceName, set, points, path, entries, isHere, isOtherHere }: LostFile,
  { strings, formats }: Language,
): { readonly name: string; readonly why: string } {
  const words = strings.activity.check;
  const [first, last] = [formats.dateTime(points[0]!), formats.dateTime(points.at(-1)!)];
  const from = deviceName ?? device;
  const where =
    points.length === 1 ? words.lossOf(set, from, first) : words.lossOfMany(set, from, points.length, first, last);
  return {
    name: path === undefined || isOwn(path) ? words.lossPoint : entries > 1 ? words.lossMany(path, entries) : path,
    why: [where, ...(isHere ? [words.lossHere] : isOtherHere ? [words.lossOther] : [])].join(' · '),
  };
}

function Findings({ check }: { readonly check: CheckResult }): ReactElement {
  const words = useLanguage().strings.activity.check;
  const problems: Readonly<Record<string, string>> = words.problems;
  const rows = check.findings.map(({ file, problem, isMendable }) => ({
    key: file,
    name: file,
    why: `${problems[problem] ?? problem}${isMendable === true ? ` · ${words.mendable}` : ''}`,
    isHere: false,
  }));
  const unlisted = check.findingsTotal - check.findings.length;
  return (
    <Panel title={words.findings}>
      <Rows label={words.findings} rows={rows} />
      {unlisted > 0 && <p className="ui-soft">{words.more(unlisted)}</p>}
    </Panel>
  );
}

interface Row {
  readonly key: string | number;
  readonly name: string;
  readonly why: string;
  /** The next backup stores it again. */
  readonly isHere: boolean;
}

function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }): ReactElement {
  const { strings } = useLanguage();
  return (
    <VirtualList
      // The panel around it has the label alone as its name, and two regions may not share one.
      label={strings.common.of(label, strings.activity.files(rows.length))}
      items={rows}
      rowHeight={ROW}
      rowClassName="act-problem"
      style={{ height: Math.min(rows.length, TALLEST) * ROW + 2 * BORDER }}
      keyOf={({ key }) => String(key)}
    >
      {({ name, why, isHere }) => (
        <>
          <span className="act-mark" data-tone={isHere ? 'warning' : 'bad'}>
            <Icon name={isHere ? 'restore' : 'close'} />
          </span>
          <span className="act-row-text">
            <span className="ui-ellipsis" title={name}>
              {name}
            </span>
            <span className="act-problem-why ui-hint">{why}</span>
          </span>
        </>
      )}
    </VirtualList>
  );
}
