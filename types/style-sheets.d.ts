/** What the bundler puts beside a page. */
declare module '*.css';
