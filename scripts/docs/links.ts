import GithubSlugger from 'github-slugger';

/** A link or picture of a page. */
export interface PageLink {
  /** As it is written, with its `#anchor`. */
  readonly target: string;
  /** Where the target is in the text. */
  readonly from: number;
  readonly line: number;
}

const LINK = /!?\[(?:[^\][]|\[[^\][]*\])*\]\(([^()\s]+)\)/g;

/** Returns the links of a page in Markdown, without those in code. */
export function linksOf(text: string): readonly PageLink[] {
  const plain = withoutCode(text);
  return [...plain.matchAll(LINK)].map((match) => {
    const target = match[1]!;
    const from = match.index + match[0].lastIndexOf(target);
    return { target, from, line: plain.slice(0, from).split('\n').length };
  });
}

/** Returns the ids of a page's headings, as GitHub and the site make them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^ *(```|~~~)/.test(line)) isCode = !isCode;
    const title = isCode ? undefined : /^#{1,6} +(.*?) *#*$/.exec(line)?.[1];
    if (title !== undefined)
      anchors.add(slugger.slug(title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')));
  }
  return anchors;
}

export function isExternal(target: string): boolean {
  return /^[a-z][a-z+.-]*:/i.test(target);
}

/** Replaces code by blanks, so that positions remain. */
function withoutCode(text: string): string {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/^ *(```|~~~)[^\n]*\n[\s\S]*?^ *\1 *$/gm, blank)
    .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, (code) => (code.includes('\n\n') ? code : blank(code)));
}
