import { basename } from 'node:path';

/**
 * Returns the program and the first words that run npm: in a script of npm the same npm with the Node that it was started with, and
 * otherwise the one on the PATH. The PATH of our scripts begins with the locked Node, which an older npm does not know: 9.2 warns there.
 */
export function npmCommand(environment: NodeJS.ProcessEnv = process.env): readonly [string, ...string[]] {
  const { npm_execpath: npm, npm_node_execpath: node } = environment;
  if (npm && node && basename(npm) === 'npm-cli.js') return [node, npm];
  return ['npm'];
}
