import { globSync, readFileSync } from 'node:fs';
import GithubSlugger from 'github-slugger';

const slug = (title) => new GithubSlugger().slug(title);
const page = (text, link) => ({ text, link });

/** Set by whoever serves the site in a folder of a server. */
const base = process.env.HOLDFAST_SITE_BASE ?? '/';

const MENU = [
  {
    text: 'Guide',
    items: [
      page('Your first backup', '/guide/first-backup'),
      page('I lost a file', '/guide/lost-file'),
      page('I have a new computer', '/guide/new-computer'),
      page('I lost my recovery phrase', '/guide/lost-phrase'),
      page('Something is wrong', '/guide/something-wrong'),
      page('Where backups can go', '/destinations'),
      page('Schedules', '/schedules'),
      page('Questions', '/guide/faq'),
      page('Glossary', '/guide/glossary'),
    ],
  },
  {
    text: 'For teams',
    items: [
      page('Hosting the service', '/self-hosting'),
      page('The portal', '/guide/portal'),
      page('People and devices', '/accounts'),
      page('Webhooks', '/webhooks'),
    ],
  },
  {
    text: 'Can I trust it?',
    items: [
      page('Security', '/security'),
      page('Promises', '/promises'),
      page('Performance', '/reports/performance'),
      page('Accessibility', '/accessibility'),
      page('Reporting a vulnerability', '/project/security'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Command line', '/reference/cli'),
      page('HTTP interface', '/reference/api'),
      page('The service’s protocol', '/protocol'),
      page('Format', '/format'),
      page('Repository', '/repository'),
      page('Figures', '/figures'),
      page('Words', '/words'),
    ],
  },
  {
    text: 'Project',
    items: [
      page('About', '/project/about'),
      page('Changelog', '/project/changelog'),
      page('Contributing', '/project/contributing'),
      page('Architecture', '/architecture'),
      page('In twenty functions', '/twenty-functions'),
      page('Packages', '/packages'),
      page('Translating', '/translating'),
      page('Conformance', '/conformance'),
      page('Decisions', '/decisions/'),
      page('Decisions of the past', '/decisions/history/'),
    ],
  },
];

/** Pages that nobody has put into the menu. */
function others() {
  const known = new Set(MENU.flatMap(({ items }) => items.map(({ link }) => link)));
  const rest = globSync(['*.md', 'guide/*.md', 'reports/*.md'], { cwd: 'dist/pages' })
    .filter((path) => path !== 'index.md' && !known.has(`/${path.slice(0, -3)}`))
    .map((path) =>
      page(/^# (.*)$/m.exec(readFileSync(`dist/pages/${path}`, 'utf8'))?.[1] ?? path, `/${path.slice(0, -3)}`),
    );
  return rest.length === 0 ? [] : [{ text: 'More', items: rest }];
}

export default {
  title: 'Holdfast',
  description: 'Backups that only you can open.',
  lang: 'en-GB',
  base,
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  lastUpdated: false,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  // Headings have the same anchors as on GitHub.
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      page('Guide', '/guide/first-backup'),
      page('For teams', '/self-hosting'),
      page('Security', '/security'),
      page('Reference', '/reference/cli'),
    ],
    sidebar: [...MENU, ...others()],
    footer: { message: 'Apache License 2.0' },
  },
};
