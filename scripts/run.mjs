// @ts-check
/**
 * Runs a program of this checkout with the locked Node, whichever Node has started this file:
 *
 *     node scripts/run.mjs FILE ARGUMENT...
 */
import process from 'node:process';
import { handOver } from './locked-node.mjs';

await handOver(process.argv.slice(2));
