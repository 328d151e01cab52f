import type { FileFacts } from '../../parsing/types.ts'
import type { ScriptImport } from './imports/script-imports.ts'
import type { Uses } from './test-text.ts'

/** The files of a repository, as far as a brief asks about them. */
export interface TestedFiles {
  has(path: string): boolean
  isFolder(path: string): boolean
  isTest(path: string): boolean
  facts(path: string): FileFacts | undefined
  /** Text of a test that was read for its style; undefined for other files. */
  text(path: string): string | undefined
  /** The imports of such a test, if it is JavaScript. */
  imports(path: string): readonly ScriptImport[]
  /** How often such a test uses each name. */
  words(path: string): ReadonlyMap<string, Uses>
  /** Text of the innermost manifest of this name around a file, with its folder. */
  manifestAround(path: string, name: string): { folder: string; text: string } | undefined
}

/** The code that a test imports, and where it does. */
export interface ImportWanted {
  path: string
  /** The outermost name in its file: `Queue` for `Queue.add`. */
  root: string
  isDefault: boolean
  isExported: boolean
  kind: 'class' | 'function' | 'method'
  testPath: string
  framework: string
  /** Tests whose way of importing is followed, best first. */
  styleTests: readonly string[]
}
