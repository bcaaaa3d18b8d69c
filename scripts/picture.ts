/**
 * Draws a program's output for the README:
 *
 *     bin/node scripts/demo.ts | bin/node scripts/picture.ts > docs/demo.svg
 */
import { text } from 'node:stream/consumers';

const FONT_SIZE = 14;
const LINE = 21;
/** The approximate advance of a character in monospaced fonts; `textLength` makes it exact. */
const CHARACTER = 8.4;
const MARGIN = 24;

const lines = (await text(process.stdin)).replaceAll(/^\n+|\n+$/g, '').split('\n');
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER) + 2 * MARGIN;
const height = lines.length * LINE + 2 * MARGIN;

console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>What npm run demo prints</title>
<rect width="100%" height="100%" rx="10" fill="#15191f"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="#d5dbe3" xml:space="preserve">
${lines.flatMap(drawLine).join('\n')}
</g>
</svg>`);

/** Draws one element per line, success in green. */
function drawLine(line: string, index: number): readonly string[] {
  if (line.trim() === '') return [];
  const y = MARGIN + index * LINE + FONT_SIZE;
  const indent = line.length - line.trimStart().length;
  const content = line.trimStart();
  const colour = /^Both restores equal|\bequal$/.test(content) ? ' fill="#8fd694"' : '';
  const x = (MARGIN + indent * CHARACTER).toFixed(1);
  const length = (content.length * CHARACTER).toFixed(1);
  return [`<text x="${x}" y="${y}" textLength="${length}"${colour}>${escaped(content)}</text>`];
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
