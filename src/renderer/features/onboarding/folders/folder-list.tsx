import type { ReactElement } from 'react';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import { Checkbox } from '../../../../ui/choices/checkbox.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import type { IconName } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { coveredBy } from './roots.ts';
import type { FolderSize } from './use-folder-sizes.ts';

export type Suggestion = Readonly<OutputOf<WindowMethods, 'sets.suggestions'>['folders'][number]>;

const PATH_LENGTH = 52;

const ICONS: Readonly<Record<Suggestion['kind'], IconName>> = {
  documents: 'file',
  pictures: 'picture',
  desktop: 'device',
  music: 'music',
  videos: 'video',
  downloads: 'download',
  projects: 'code',
  home: 'home',
};

interface FolderListProps {
  readonly suggestions: readonly Suggestion[];
  readonly added: readonly string[];
  readonly chosen: readonly string[];
  readonly sizes: ReadonlyMap<string, FolderSize>;
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Folders to select, each with its size as counted so far. */
export function FolderList({ suggestions, added, chosen, sizes, onChoose }: FolderListProps): ReactElement {
  const words = useLanguage().strings.onboarding.folders;
  const row = (path: string, name: string, icon: IconName): ReactElement => (
    <FolderRow
      key={path}
      path={path}
      name={name}
      icon={icon}
      size={sizes.get(path)}
      isChosen={chosen.includes(path)}
      within={coveredBy(path, chosen)}
      onChoose={(isChosen) => onChoose(isChosen ? [...chosen, path] : chosen.filter((one) => one !== path))}
    />
  );
  return (
    <ul className="first-folders" aria-label={words.label}>
      {suggestions.map(({ path, kind }) => row(path, words.kinds[kind], ICONS[kind]))}
      {added.map((path) => row(path, lastName(path), 'folder'))}
    </ul>
  );
}

interface FolderRowProps {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly size: FolderSize | undefined;
  readonly isChosen: boolean;
  /** A chosen folder that contains it. */
  readonly within: string | undefined;
  readonly onChoose: (isChosen: boolean) => void;
}

function FolderRow({ path, name, icon, size, isChosen, within, onChoose }: FolderRowProps): ReactElement {
  const words = useLanguage().strings.onboarding.folders;
  return (
    <li className="first-folder">
      <Checkbox isSelected={isChosen || within !== undefined} isDisabled={within !== undefined} onChange={onChoose}>
        <span className="first-folder-name">
          <Icon name={icon} />
          {name}
        </span>
      </Checkbox>
      <p className="first-folder-path ui-path ui-small ui-soft" title={path}>
        {within === undefined ? shortPath(path, PATH_LENGTH) : words.within(shortPath(within, PATH_LENGTH))}
      </p>
      <SizeWords size={size} />
    </li>
  );
}

function SizeWords({ size }: { readonly size: FolderSize | undefined }): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.onboarding.folders;
  if (size === undefined) return <p className="first-folder-size" />;
  if (size === 'failed') return <p className="first-folder-size ui-small ui-soft">{words.notCounted}</p>;
  return (
    <p className="first-folder-size ui-number">
      <span className="ui-small ui-soft">
        {size.unreadable.length > 0 ? words.unreadable(size.unreadable.length) : size.done ? '' : words.counting}
      </span>
      <span>{formats.bytes(size.bytes)}</span>
    </p>
  );
}

function lastName(path: string): string {
  return path.split(/[\\/]/).findLast((name) => name !== '') ?? path;
}
