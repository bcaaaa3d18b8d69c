/** Folders of `deploy` that a package has as examples. */
const EXAMPLES = /^(?:\.\.\/)?deploy\/(caddy|nginx|prometheus|grafana)\b/;

const LINK = /\[([^\]]*)\]\(([^)]*)\)/g;

const NOTICE = `> This is the copy of the package. Its command is \`holdfast\`, and its files are in \`/usr/share/doc/holdfast-service/examples\`. What begins with \`git\`,
> \`npm\` or \`cd\` is for a checkout: the package manager installs and upgrades the package.
`;

/**
 * Returns a page of the documents as it applies where a package is installed: with the package's command and paths, and without links to what the package
 * does not have.
 *
 * @param text Markdown @param pages names of the pages that are in the same folder, such as `security.md`
 */
export function packagedPage(text: string, pages: readonly string[]): string {
  const linked = text.replaceAll(LINK, (link, label: string, target: string) => {
    if (/^(?:https?:|#)/.test(target)) return link;
    if (EXAMPLES.test(target)) return `[${label}](${target.replace(EXAMPLES, 'examples/$1')})`;
    return pages.includes(target.split('#')[0]!) ? link : label;
  });
  const [title = '', ...rest] = linked
    .replaceAll(/(?<![\w/.])bin\/holdfast\b/g, 'holdfast')
    .replaceAll(
      /(?<![\w/.])deploy\/(?=(?:caddy|nginx|prometheus|grafana)\/)/g,
      '/usr/share/doc/holdfast-service/examples/',
    )
    .split('\n');
  return [title, '', NOTICE, ...rest.slice(1)].join('\n');
}
