/** Checks every link and anchor of a built site, without the network. The exit code is 1 if one leads nowhere. */
import { LinkChecker } from 'linkinator';

const [folder] = process.argv.slice(2);
const result = await new LinkChecker().check({
  path: folder,
  recurse: true,
  checkFragments: true,
  checkCss: true,
  linksToSkip: async (link) => !/^http:\/\/(localhost|127\.0\.0\.1)/.test(link),
});
const broken = result.links.filter(({ state }) => state === 'BROKEN');
const local = result.links.filter(({ state }) => state === 'OK');
for (const { url, parent, status } of broken) console.error(`${parent}\n    ${url} ${status}`);
console.log(`${local.length} links of the site lead somewhere, ${broken.length} nowhere.`);
process.exitCode = broken.length === 0 ? 0 : 1;
