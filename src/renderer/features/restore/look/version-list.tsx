import type { ReactElement } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import { distinctTimes } from '../../../shared/distinct-times.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { ShownVersion } from './versions.ts';

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly ShownVersion[];
  readonly chosen: ShownVersion;
  readonly onChoose: (version: ShownVersion) => void;
}

/** The versions of a file, of which one is shown. Arrow keys go through them. */
export function VersionList({ versions, chosen, onChoose }: VersionListProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.look;
  const changed = distinctTimes(
    versions.map(({ modified }) => modified),
    formats.dateTime,
    formats.dateTimeSeconds,
  );
  const last = distinctTimes(
    versions.map(({ madeTo }) => madeTo),
    formats.when,
    formats.whenSeconds,
  );
  return (
    <ListBox
      className="look-versions"
      aria-label={words.versions}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      autoFocus
      selectedKeys={[chosen.to]}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys];
        const version = versions.find(({ to }) => to === key);
        if (version) onChoose(version);
      }}
    >
      {versions.map((version, index) => (
        <ListBoxItem key={version.to} id={version.to} className="look-version" textValue={changed[index]!}>
          <span className="ui-number">{changed[index]}</span>{' '}
          <span className="ui-hint">
            {formats.bytes(version.size)}
            {version.points > 0 && ` · ${words.points(version.points)}`}
            <br />
            {words.lastIn(last[index]!)}
          </span>
        </ListBoxItem>
      ))}
    </ListBox>
  );
}
