/** The scheme of the window's page, and of nothing else. */
export const PAGE_SCHEME = 'app';
export const PAGE_ORIGIN = `${PAGE_SCHEME}://holdfast`;
export const PAGE_ADDRESS = `${PAGE_ORIGIN}/index.html`;
