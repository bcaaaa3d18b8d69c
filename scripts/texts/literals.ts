/** What has one spelling in every language, since people type it or see it elsewhere. */
const LITERALS: readonly RegExp[] = [
  // Marks of exclusion patterns. No sentence ends with an exclamation mark.
  /!+/g,
  /\*[.\w]*/g,
  // Options of commands.
  /(?<![\p{L}\w-])--?[a-z][a-z-]+/gu,
  // Names of files, hidden ones, domains.
  /(?<![\p{L}\w.*/])\.[a-z]\w*/gu,
  /(?<![\w.@-])[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}(?!\w)/g,
  // Folders and paths.
  /(?<![\w/~.:-])(?:[\w.~-]+\/)+(?![\w{])/g,
  /(?<![\w/<}])\/(?:[\w.-]*[\w-]\/?)+/g,
  // Variables of the environment.
  /%[A-Z]+%|\$[A-Z]+/g,
];

/** Returns the literals of a message, each once. */
export function literalsOf(message: string): ReadonlySet<string> {
  return new Set(LITERALS.flatMap((literal) => message.match(literal) ?? []));
}
