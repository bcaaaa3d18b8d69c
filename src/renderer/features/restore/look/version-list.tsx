import type { ReactElement } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
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
      {versions.map((version) => (
        <ListBoxItem
          key={version.to}
          id={version.to}
          className="look-version"
          textValue={formats.dateTime(version.modified)}
        >
          <span className="ui-number">{formats.dateTime(version.modified)}</span>{' '}
          <span className="ui-hint">
            {formats.bytes(version.size)}
            {version.points > 0 && ` · ${words.points(version.points)}`}
            <br />
            {words.lastIn(formats.when(version.to))}
          </span>
        </ListBoxItem>
      ))}
    </ListBox>
  );
}
