// @ts-check
/**
 * Runs a program of this checkout with the locked Node, whichever Node has started this file:
 *
 *     node scripts/run.mjs FILE ARGUMENT...
 */
import process from 'node:process';
import { handOver, runLocked } from './locked-node.mjs';

const words = process.argv.slice(2);
// What imports the texts may do so at its start. `npm run texts` compiles them itself, after it has looked for what is wrong with them.
if (!['scripts/texts.ts', 'scripts/electron.ts'].includes(words[0] ?? '') && !words[0]?.startsWith('node_modules/'))
  await runLocked(['scripts/texts/up-to-date.ts']);
await handOver(words);
