/** `npm run parts`: writes the map of the parts of `src` into docs/architecture.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mapOfParts, withMap } from './parts/map.ts';

const page = join(dirname(import.meta.dirname), 'docs/architecture.md');
writeFileSync(page, withMap(readFileSync(page, 'utf8'), mapOfParts()));
