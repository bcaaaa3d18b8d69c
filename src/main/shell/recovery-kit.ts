import type { Language } from '../../strings/strings.ts';
import { escapedMarkup } from '../../base/markup.ts';

export interface KitContents {
  readonly words: readonly string[];
  readonly device: string;
  /** The destination as the settings name it. */
  readonly location: string;
  /** Milliseconds since the epoch. */
  readonly printedAt: number;
}

/** Renders the printed page as self-contained HTML, black on white, without scripts. */
export function recoveryKitPage({ words, device, location, printedAt }: KitContents, language: Language): string {
  const kit = language.strings.shell.kit;
  const date = language.formats.dateTime(printedAt);
  return `<!doctype html>
<html lang="${language.tag}" dir="${language.direction}">
<head><meta charset="utf-8"><title>${escapedMarkup(`Holdfast: ${kit.title}`)}</title><style>${STYLE}</style></head>
<body>
<header>${MARK}<div><p class="product">Holdfast</p><h1>${escapedMarkup(kit.title)}</h1></div></header>
<p class="lead">${escapedMarkup(kit.lead)}</p>
<dl>
<div><dt>${escapedMarkup(kit.device)}</dt><dd>${escapedMarkup(device)}</dd></div>
<div><dt>${escapedMarkup(kit.date)}</dt><dd>${escapedMarkup(date)}</dd></div>
<div class="location"><dt>${escapedMarkup(kit.location)}</dt><dd>${escapedMarkup(location)}</dd></div>
</dl>
<h2>${escapedMarkup(kit.words)}</h2>
<ol class="words">${words.map((word) => `<li><span>${escapedMarkup(word)}</span></li>`).join('')}</ol>
<section class="warning"><h2>${escapedMarkup(kit.warningTitle)}</h2><p>${escapedMarkup(kit.warning)}</p></section>
<h2>${escapedMarkup(kit.howTitle)}</h2>
<ol class="steps">${kit.steps.map((step) => `<li>${escapedMarkup(step)}</li>`).join('')}</ol>
<p class="terminal">${escapedMarkup(kit.terminal)}</p>
<pre>${commands(location).map(escapedMarkup).join('\n')}</pre>
<p class="note">${escapedMarkup(kit.terminalNote)}</p>
<footer>${escapedMarkup(kit.footer)}</footer>
</body>
</html>
`;
}

/** The mark of assets/mark.svg. */
const MARK =
  '<svg viewBox="0 0 24 24" fill="none" stroke="#000" stroke-width="3" stroke-linecap="round"><path d="M6 3.5v11a6 6 0 0 0 12 0v-11M6 10.5h12"/></svg>';

const STYLE = `
@page { size: A4; margin: 14mm 18mm 10mm; }
* { box-sizing: border-box; margin: 0; }
body { font: 9.75pt/1.4 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif; color: #000; background: #fff; }
header { display: flex; align-items: center; gap: 5mm; padding-bottom: 4mm; border-bottom: 1.5pt solid #000; }
header svg { width: 13mm; height: 13mm; }
.product { font-size: 10pt; letter-spacing: 0.08em; text-transform: uppercase; }
h1 { font-size: 22pt; line-height: 1.1; font-weight: 700; }
h2 { font-size: 11.5pt; margin: 4.5mm 0 1.5mm; }
.lead { font-size: 11pt; margin-top: 3.5mm; }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: 2mm 8mm; margin-top: 3mm; }
.location { grid-column: 1 / -1; }
dt { font-size: 8.5pt; color: #444; }
dd { font-weight: 600; overflow-wrap: anywhere; }
ol { padding: 0; }
.words { list-style: none; counter-reset: word; columns: 3; column-gap: 6mm; border: 1pt solid #000; border-radius: 2.5mm; padding: 3.5mm 5mm; }
.words li { counter-increment: word; display: flex; align-items: baseline; gap: 3mm; padding: 0.75mm 0; break-inside: avoid; }
.words li::before { content: counter(word); width: 7mm; text-align: right; color: #444; font-size: 9pt; }
.words span { font: 600 12.5pt/1.25 ui-monospace, 'SF Mono', 'Cascadia Mono', 'Noto Sans Mono', 'Liberation Mono', monospace; }
.warning { margin-top: 4.5mm; padding: 3mm 5mm; border-left: 3pt solid #000; background: #f3f3f3; }
.warning h2 { margin: 0 0 1mm; }
.steps { padding-left: 5mm; }
.steps li { padding: 0.6mm 0; }
.terminal { margin-top: 2mm; }
.note { margin-top: 1.5mm; font-size: 9pt; color: #444; }
pre { margin-top: 1.5mm; padding: 2.5mm 4mm; border: 0.5pt solid #888; border-radius: 1.5mm; font: 9pt/1.55 ui-monospace, 'SF Mono', 'Cascadia Mono', 'Noto Sans Mono', 'Liberation Mono', monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 3.5mm; font-size: 8.5pt; color: #444; }
`;

function commands(location: string): readonly string[] {
  const destination = /^https?:/.test(location) ? '--server' : '--destination';
  return [
    `holdfast setup ${destination} ${shellWord(location)} --recovery-phrase-file words.txt`,
    'holdfast restore SET --device ID --to restored',
  ];
}

/** Quotes a path for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
