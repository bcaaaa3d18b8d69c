import type { Certificate, CertifiedDrill } from '../ipc/contract/restore/certificate.ts';
import type { Language } from './strings.ts';
import { escapedMarkup } from '../base/markup.ts';

/** Renders a certificate of test restores as self-contained HTML to be printed, without scripts. */
export function certificatePage({ device, version, issuedAt, drills }: Certificate, language: Language): string {
  const { strings, formats } = language;
  const words = strings.drill.certificate;
  const facts = rows([
    [words.device, `${device.name} (${device.id})`],
    [words.issued, formats.dateTime(issuedAt)],
    [words.version, version],
  ]);
  const body =
    drills.length === 0 ? `<p>${escaped(words.none)}</p>` : drills.map((one) => section(one, language)).join('');
  return `<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head><meta charset="utf-8"><title>${escaped(`Holdfast: ${words.title}`)}</title><style>${STYLE}</style></head>
<body>
<header><p class="product">Holdfast</p><h1>${escaped(words.title)}</h1></header>
<p class="lead">${escaped(words.lead)}</p>
${facts}
${body}
<footer>${escaped(words.footer)}</footer>
</body>
</html>
`;
}

function section(drill: CertifiedDrill, { strings, formats }: Language): string {
  const words = strings.drill.certificate;
  const { number } = formats;
  const isPassed = drill.failuresTotal === 0;
  const facts = rows([
    [words.result, isPassed ? words.passed : words.failed(drill.failuresTotal)],
    [words.tested, formats.dateTime(drill.at)],
    [words.destination, drill.destination],
    [words.point, drill.restorePoint],
    [words.size, words.sized(words.filesOf(drill.pointFiles), formats.bytes(drill.pointBytes))],
    [words.restored, words.sized(words.filesOf(drill.filesRestored), formats.bytes(drill.bytesRestored))],
    [words.sample, words.chosen(number(drill.newestFiles), number(drill.randomFiles))],
    [words.compared, words.filesOf(drill.filesCompared)],
    [words.onDisk, words.filesOf(drill.filesSameOnDisk)],
    [words.digest, drill.digest],
  ]);
  const failures = drill.failures.map((path) => `<li>${escaped(path)}</li>`).join('');
  const lines = drill.sample.map(({ sha256, path }) => `${sha256}  ${path}`).join('\n');
  const isCut = drill.sample.length < drill.filesCompared;
  return `<section class="${isPassed ? 'passed' : 'failed'}"><h2>${escaped(words.set(drill.set))}</h2>
${facts}
${failures === '' ? '' : `<ul>${failures}</ul>`}
<h3>${escaped(words.list)}</h3>
${isCut ? `<p>${escaped(words.first(number(drill.sample.length)))}</p>` : ''}
<pre>${escaped(lines)}</pre></section>`;
}

function rows(facts: readonly (readonly [string, string])[]): string {
  return `<dl>${facts.map(([term, text]) => `<div><dt>${escaped(term)}</dt><dd>${escaped(text)}</dd></div>`).join('')}</dl>`;
}

/** Also what would be invisible, or would turn the direction of the text: file names come from anybody. */
function escaped(text: string): string {
  return escapedMarkup(
    text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? character : '\u{FFFD}')),
  );
}

const STYLE = `
@page { size: A4; margin: 14mm 18mm; }
* { box-sizing: border-box; margin: 0; }
body { font: 10pt/1.45 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif; color: #000; background: #fff; max-width: 190mm; margin: 0 auto; padding: 6mm; }
header { padding-bottom: 4mm; border-bottom: 1.5pt solid #000; }
.product { font-size: 10pt; letter-spacing: 0.08em; text-transform: uppercase; }
h1 { font-size: 21pt; line-height: 1.15; }
h2 { font-size: 13pt; margin: 0 0 2mm; }
h3 { font-size: 10pt; margin: 4mm 0 1mm; }
.lead { margin: 4mm 0; }
section { margin-top: 7mm; padding: 4mm 5mm; border: 0.75pt solid #888; border-radius: 2mm; }
section.failed { border: 2pt solid #000; }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: 2mm 8mm; }
dt { font-size: 8.5pt; color: #444; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
pre { font: 7.5pt/1.5 ui-monospace, 'Cascadia Mono', 'Noto Sans Mono', 'Liberation Mono', monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 6mm; font-size: 8.5pt; color: #444; }
`;
