import { conventionFor } from '../../test-names/conventions.ts'
import { javaScriptImport } from './imports/javascript.ts'
import { cSharpImport, goImport, javaImport, phpImport, rubyImport, rustImport } from './imports/others.ts'
import { pythonImport } from './imports/python.ts'
import type { ImportWanted, TestedFiles } from './tested-files.ts'

const byFamily: Readonly<Record<string, (wanted: ImportWanted, files: TestedFiles) => string | undefined>> = {
  JavaScript: javaScriptImport,
  Vue: javaScriptImport,
  Python: pythonImport,
  Go: goImport,
  Java: javaImport,
  Ruby: rubyImport,
  Rust: rustImport,
  PHP: phpImport,
  'C#': cSharpImport,
}

/** Returns the import as a test at its place writes it; undefined if that is not known. */
export function importOf(wanted: ImportWanted, language: string | undefined, files: TestedFiles): string | undefined {
  const [family = ''] = conventionFor(wanted.path, language).languages
  const write = Object.hasOwn(byFamily, family) ? byFamily[family] : undefined
  const line = write?.(wanted, files)
  // A longer one is no import that people write.
  return line !== undefined && line.length <= 300 ? line : undefined
}
