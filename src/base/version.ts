/** The version of this program: the one in package.json, which `npm run release` sets in both. */
export const VERSION = '0.1.0';
