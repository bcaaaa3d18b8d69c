import { useEffect, useId, useMemo, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { FolderLine } from './folder-line.tsx';
import { FolderNodes } from './folder-nodes.ts';
import type { TreeLine } from './folder-nodes.ts';
import { FolderSizes } from './folder-sizes.ts';
import type { SizeQuestion } from './folder-sizes.ts';
import { InclusionRules } from '../draft/inclusion.ts';
import { patternsInside } from '../draft/pattern.ts';
import { useObservable } from '../../../shared/observable.ts';
import { useStable } from '../../../bridge/deep-equality.ts';
import { readingDirectionOf, rowAfterKey } from '../../../../ui/tables/row-keys.ts';
import './folder-tree.css';

/** Pixels; folder-tree.css has the same. */
const LINE = 32;

type EntryLine = Extract<TreeLine, { readonly kind: 'entry' }>;

interface FolderTreeProps {
  readonly draft: Draft;
  readonly showsHidden: boolean;
}

/** The tree of this computer's folders. A tick includes a folder with all of its contents. */
export function FolderTree({ draft, showsHidden }: FolderTreeProps): ReactElement {
  const { strings } = useLanguage();
  const id = useId();
  const [nodes] = useState(() => new FolderNodes());
  const [sizes] = useState(() => new FolderSizes());
  useEffect(() => void nodes.start(), [nodes]);
  useEffect(() => () => sizes.close(), [sizes]);
  const version = useObservable(nodes);
  useObservable(sizes);
  const lines = useMemo(() => (version < 0 ? [] : nodes.lines(showsHidden)), [nodes, version, showsHidden]);
  const virtual = useVirtualRows(lines.length, LINE);
  const { scroller, height, from, to, topOf, reveal } = virtual;
  const [currentKey, setCurrentKey] = useState<string>();
  const at = lines.findIndex(({ key }) => key === currentKey);
  const current = at === -1 ? 0 : at;
  const { roots, excludes, presets, oneFileSystem } = draft;
  const rules = useMemo(() => {
    const isLeftOut = (path: string): boolean => nodes.presetsOf(path).some((name) => presets.includes(name));
    return new InclusionRules({ roots, excludes }, isLeftOut);
  }, [roots, excludes, presets, nodes]);

  const drawn = lines.slice(from, to);
  const questionOf = (line: TreeLine): SizeQuestion | undefined => {
    if (line.kind !== 'entry' || line.entry.kind !== 'folder' || !line.entry.isReadable) return undefined;
    const relative = rules.relative(line.entry.path);
    if (relative === undefined || rules.of(line.entry.path, true) === 'excluded') return undefined;
    return { path: line.entry.path, excludes: patternsInside(excludes, relative), presets, oneFileSystem };
  };
  const wanted = useStable(drawn.flatMap((line) => questionOf(line) ?? []));
  useEffect(() => sizes.want(wanted), [sizes, wanted]);

  const move = (index: number): void => {
    setCurrentKey(lines[index]?.key);
    reveal(index);
  };
  const toggle = ({ entry }: EntryLine): void => changeDraft(rules.toggled(entry.path, entry.kind === 'folder'));
  const fold = (line: EntryLine): void => {
    if (line.isExpanded) nodes.collapse(line.key);
    else nodes.expand(line.key, line.entry);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = lines[current];
    const target = rowAfterKey(event.key, current, virtual);
    if (target !== undefined) move(target);
    else if (line?.kind === 'entry' && event.key === ' ') toggle(line);
    else if (line?.kind === 'entry' && event.key === 'Enter') fold(line);
    else if (line?.kind === 'entry' && readingDirectionOf(event.key) === 'forward') {
      if (line.isExpanded) move(Math.min(lines.length - 1, current + 1));
      else nodes.expand(line.key, line.entry);
    } else if (line && readingDirectionOf(event.key) === 'back') {
      if (line.kind === 'entry' && line.isExpanded) nodes.collapse(line.key);
      else move(parentOf(lines, current));
    } else if (/^\S$/u.test(event.key)) move(nextBeginning(lines, current, event.key));
    else return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent): void => {
    const pressed = target instanceof Element ? target.closest<HTMLElement>('[data-key]') : null;
    const line = lines.find(({ key }) => key === pressed?.dataset['key']);
    if (line?.kind !== 'entry') return;
    setCurrentKey(line.key);
    if (line.entry.kind !== 'folder' || (target as Element).closest('[data-part="check"]')) toggle(line);
    else fold(line);
  };
  return (
    <div
      ref={scroller}
      className="ui-rows set-tree"
      role="tree"
      tabIndex={0}
      aria-label={strings.sets.what.tree}
      aria-multiselectable="true"
      aria-activedescendant={current >= from && current < to ? `${id}-${current}` : undefined}
      onKeyDown={press}
      onClick={click}
    >
      <div className="ui-rows-box" role="none" style={{ height }}>
        {drawn.map((line, offset) => {
          const index = from + offset;
          const question = questionOf(line);
          return (
            <FolderLine
              key={line.key}
              id={`${id}-${index}`}
              top={topOf(index)}
              line={line}
              isCurrent={index === current}
              inclusion={line.kind === 'entry' ? rules.of(line.entry.path, line.entry.kind === 'folder') : 'outside'}
              size={question && sizes.of(question)}
            />
          );
        })}
      </div>
    </div>
  );
}

function parentOf(lines: readonly TreeLine[], index: number): number {
  const { level } = lines[index]!;
  for (let above = index - 1; above >= 0; above -= 1) if (lines[above]!.level < level) return above;
  return index;
}

/** Returns the next line whose name begins with the letter, starting again at the top. */
function nextBeginning(lines: readonly TreeLine[], from: number, letter: string): number {
  const wanted = letter.toLocaleLowerCase();
  for (let step = 1; step <= lines.length; step += 1) {
    const index = (from + step) % lines.length;
    const line = lines[index]!;
    if (line.kind === 'entry' && line.entry.name.toLocaleLowerCase().startsWith(wanted)) return index;
  }
  return from;
}
