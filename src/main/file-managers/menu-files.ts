import { join } from 'node:path';
import { execValue, shellWord } from '../system/command-words.ts';
import { PREVIOUS_VERSIONS } from './requested-path.ts';

/** The person's folders for data and settings of programs (XDG Base Directory Specification). */
export interface PersonalFolders {
  readonly data: string;
  readonly config: string;
}

/** A file that adds the item to a file manager's menu. */
export interface MenuFile {
  readonly path: string;
  readonly text: string;
  /** KDE ignores service menus of the person that cannot be executed, and scripts have to be. */
  readonly mode: 0o644 | 0o755;
}

export interface MenuItem {
  /** Program and arguments, without the path of the file. */
  readonly command: readonly string[];
  /** The item in the person's language. */
  readonly label: string;
}

/** Returns the files for all file managers that have one file for each item. */
export function menuFiles({ command, label }: MenuItem, { data, config }: PersonalFolders): readonly MenuFile[] {
  const words = [...command, PREVIOUS_VERSIONS];
  const script = selectionScript(words);
  return [
    { path: join(data, 'kio/servicemenus/holdfast.desktop'), text: serviceMenu(words, label), mode: 0o755 },
    { path: join(data, 'nemo/actions/holdfast.nemo_action'), text: nemoAction(words, label), mode: 0o644 },
    {
      path: join(data, 'nautilus-python/extensions/holdfast_previous_versions.py'),
      text: nautilusExtension(words, label),
      mode: 0o644,
    },
    // Without nautilus-python, the item is in the submenu “Scripts”. The name of the file is the item.
    { path: join(data, 'nautilus/scripts', fileName(label)), text: script('NAUTILUS'), mode: 0o755 },
    { path: join(config, 'caja/scripts', fileName(label)), text: script('CAJA'), mode: 0o755 },
  ];
}

function fileName(label: string): string {
  return label.replaceAll('/', '-');
}

/** A service menu of Dolphin and Konqueror. @see https://develop.kde.org/docs/apps/dolphin/service-menus */
function serviceMenu(words: readonly string[], label: string): string {
  return [
    '[Desktop Entry]',
    'Type=Service',
    'MimeType=all/all;',
    'Actions=previousVersions;',
    '',
    '[Desktop Action previousVersions]',
    `Name=${label}`,
    'Icon=document-open-recent',
    `Exec=${execValue(words)} %f`,
    '',
  ].join('\n');
}

/** @see https://github.com/linuxmint/nemo/blob/master/files/usr/share/nemo/actions/sample.nemo_action */
function nemoAction(words: readonly string[], label: string): string {
  return [
    '[Nemo Action]',
    `Name=${label}`,
    'Comment=Holdfast',
    `Exec=${execValue(words)} %F`,
    'Icon-Name=document-open-recent',
    'Selection=s',
    'Extensions=any;',
    'Quote=double',
    '',
  ].join('\n');
}

/** A script in the menu of Nautilus or Caja, which pass the selected paths in a variable, one on each line. */
function selectionScript(words: readonly string[]) {
  return (program: 'NAUTILUS' | 'CAJA'): string =>
    [
      '#!/bin/sh',
      '# Written by Holdfast, and removed with its preference.',
      `selected=$(printf '%s\\n' "$${program}_SCRIPT_SELECTED_FILE_PATHS" | head -n 1)`,
      `exec ${words.map(shellWord).join(' ')} "\${selected:-$PWD}"`,
      '',
    ].join('\n');
}

/** An extension for nautilus-python, for the versions of its interface with and without the window as a parameter. */
function nautilusExtension(words: readonly string[], label: string): string {
  return `# Written by Holdfast, and removed with its preference.
import subprocess

from gi.repository import GObject, Nautilus

COMMAND = ${JSON.stringify(words)}
LABEL = ${JSON.stringify(label)}


class HoldfastPreviousVersions(GObject.GObject, Nautilus.MenuProvider):
    def get_file_items(self, *arguments):
        files = arguments[-1]
        location = files[0].get_location() if len(files) == 1 else None
        path = location.get_path() if location else None
        if path is None:
            return []
        item = Nautilus.MenuItem(name="Holdfast::previous-versions", label=LABEL)
        item.connect("activate", lambda _item: subprocess.Popen(COMMAND + [path], start_new_session=True))
        return [item]
`;
}
