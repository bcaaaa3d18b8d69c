/**
 * The catalogues of texts: `npm run texts` brings the translations up to date with the English catalogue and compiles all of
 * them; `-- check` reports problems; `-- missing fr` lists what a language lacks. See docs/translating.md.
 */
import { filesOf, LANGUAGES, PRODUCTS } from './texts/catalogues.ts';
import { writeTypes } from './texts/compile.ts';
import { missingOf, problemsOfAll } from './texts/check.ts';
import { updateFile } from './texts/po-file.ts';
import { bringTextsUpToDate } from './texts/up-to-date.ts';

const [command = 'update', language] = process.argv.slice(2);

switch (command) {
  case 'update':
    await update();
    break;
  case 'check':
    check();
    break;
  case 'missing':
    missing(language);
    break;
  default:
    fail('Usage: npm run texts [-- check | missing LANGUAGE]');
}

async function update(): Promise<void> {
  for (const product of PRODUCTS) {
    for (const file of filesOf(product)) {
      for (const code of Object.keys(LANGUAGES)) {
        if (updateFile(product, code, file)) console.log(`${product.name}: catalogues/${code}/${file}.po`);
      }
    }
    for (const name of writeTypes(product)) console.log(`${product.name}: ${name}`);
  }
  await bringTextsUpToDate();
  check();
}

function check(): void {
  const problems = problemsOfAll();
  for (const { product, language: code, key, sentence } of problems) {
    console.log([product, code, key].filter((part) => part !== '').join(' ') + `: ${sentence}`);
  }
  if (problems.length > 0) fail(`${problems.length} problems`);
}

function missing(code: string | undefined): void {
  if (code === undefined || LANGUAGES[code] === undefined) {
    return fail(`Name a language: ${Object.keys(LANGUAGES).join(', ')}`);
  }
  let total = 0;
  for (const product of PRODUCTS) {
    for (const { key, source } of missingOf(product, code)) {
      console.log(`${product.name} ${key}: ${source}`);
      total += 1;
    }
  }
  console.log(`${total} texts are missing.`);
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 1;
}
