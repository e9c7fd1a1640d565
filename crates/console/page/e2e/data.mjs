// Where external test data lies: `$PREMATH_TEST_DATA`, else `../shared/data` beside the repository. A missing set is a named skip, and a failure in CI.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.env.PREMATH_TEST_DATA ?? join(dirname(fileURLToPath(import.meta.url)), '../../../../../shared/data');

/** The strings of the list of naughty strings that mean something to a browser; `null` after a named skip. */
export function markup() {
  const path = join(root, 'blns/blns.json');
  if (!existsSync(path)) {
    const words = `no test data at ${path} (set PREMATH_TEST_DATA)`;
    if (process.env.CI === 'true') throw new Error(words);
    console.log(`SKIPPED ${words}`);
    return null;
  }
  const found = JSON.parse(readFileSync(path, 'utf8')).filter((it) => /[<>]|javascript:|on\w+\s*=|&#/i.test(it));
  if (found.length < 150) throw new Error(`only ${found.length} strings of ${path} are markup`);
  return found;
}
