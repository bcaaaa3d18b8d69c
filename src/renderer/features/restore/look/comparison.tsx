import { nameOf } from '../../../../model/entry-path.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Select } from '../../../../ui/choices/select.tsx';
import { distinctTimes } from '../../../shared/distinct-times.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Looking } from '../store/restore-store.ts';
import { DifferencePane } from './difference-pane.tsx';
import type { CurrentFile } from './use-current-file.ts';
import { usePreview } from './use-preview.ts';
import type { PreviewResource } from './use-preview.ts';
import { referenceOf } from './versions.ts';
import type { ShownVersion } from './versions.ts';

/** Selects the file on disk instead of a version. */
const DISK = 'disk';

interface ComparisonProps {
  readonly looking: Looking;
  /** Newest first. */
  readonly versions: readonly ShownVersion[];
  readonly chosen: ShownVersion;
  readonly preview: PreviewResource;
  readonly current: CurrentFile;
}

/** Returns whether there is anything to compare the shown version with. */
export function canCompare(versions: readonly ShownVersion[], { modified }: CurrentFile): boolean {
  return versions.length > 1 || modified !== undefined;
}

/** Two versions side by side: times, sizes, and what differs. By default with the version before. */
export function Comparison({ looking, versions, chosen, preview, current }: ComparisonProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.look;
  const [wanted, setWanted] = useState<string>();
  const others = versions.filter((version) => version !== chosen);
  const earlier = others.find(({ to }) => to < chosen.from);
  const isDisk = current.modified !== undefined && (wanted === DISK || others.length === 0);
  const other = isDisk ? undefined : (others.find(({ to }) => to === wanted) ?? earlier ?? others.at(-1));
  const otherPreview = usePreview(referenceOf(looking, other ?? chosen), isDisk);
  const isLater = !other || other.to > chosen.to;
  const name = nameOf(looking.path);
  const times = distinctTimes(
    versions.map(({ modified }) => modified),
    formats.dateTime,
    formats.dateTimeSeconds,
  );
  const facts = (version: ShownVersion): string =>
    words.facts(times[versions.indexOf(version)]!, formats.bytes(version.size));
  const onDisk =
    current.modified === undefined
      ? []
      : [
          {
            value: DISK,
            label: words.now(words.facts(formats.dateTime(current.modified), formats.bytes(current.size ?? 0))),
          },
        ];
  return (
    <>
      <dl className="look-pair">
        <div>
          <dt className="ui-hint">{words.shown}</dt>
          <dd className="ui-number">{facts(chosen)}</dd>
        </div>
        <div>
          <dt className="ui-hint">{words.comparedWith}</dt>
          <dd>
            <Select
              label={words.comparedWith}
              isLabelHidden
              value={other?.to ?? DISK}
              options={[...onDisk, ...others.map((version) => ({ value: version.to, label: facts(version) }))]}
              onChange={setWanted}
            />
          </dd>
        </div>
      </dl>
      <DifferencePane
        name={name}
        before={isLater ? preview : otherPreview}
        after={isLater ? otherPreview : preview}
        isSame={chosen.content !== undefined && chosen.content === other?.content}
      />
    </>
  );
}
