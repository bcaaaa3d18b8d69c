import { shellWord } from '../system/command-words.ts';
import { PREVIOUS_VERSIONS } from './requested-path.ts';
import type { MenuItem } from './menu-files.ts';
import { escapedText } from '../../base/markup.ts';

const ID = 'holdfast-previous-versions';
const OURS = new RegExp(
  String.raw`[ \t]*<action>(?:(?!</action>)[^])*<unique-id>${ID}</unique-id>(?:(?!</action>)[^])*</action>\n?`,
  'g',
);
const END = '</actions>';

/** What Thunar starts with if neither the person nor the system has actions. */
export const NO_ACTIONS = '<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n</actions>\n';

/**
 * Adds the item to the custom actions of Thunar (`uca.xml`), or takes it out. The actions of the person stay as they are.
 *
 * @returns `undefined` if the text is no list of actions, which is then left alone
 */
export function withThunarAction(text: string, item: MenuItem | undefined): string | undefined {
  const others = text.replaceAll(OURS, '');
  if (!item) return others;
  const end = others.lastIndexOf(END);
  return end < 0 ? undefined : `${others.slice(0, end)}${action(item)}${others.slice(end)}`;
}

function action({ command, label }: MenuItem): string {
  const words = [...command, PREVIOUS_VERSIONS].map((word) => shellWord(word.replaceAll('%', '%%')));
  return [
    '<action>',
    '\t<icon>document-open-recent</icon>',
    `\t<name>${escapedText(label)}</name>`,
    '\t<submenu></submenu>',
    `\t<unique-id>${ID}</unique-id>`,
    `\t<command>${escapedText(`${words.join(' ')} %f`)}</command>`,
    '\t<description>Holdfast</description>',
    '\t<range>1</range>',
    '\t<patterns>*</patterns>',
    ...['directories', 'audio-files', 'image-files', 'other-files', 'text-files', 'video-files'].map(
      (kind) => `\t<${kind}/>`,
    ),
    '</action>',
    '',
  ].join('\n');
}
