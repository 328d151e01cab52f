import type { TestType } from '../../../core/ai/schema.ts'
import type { Cases } from './cases.ts'
import { writeBrowserTest } from './examples/browser.ts'
import { writeCSharpTest } from './examples/csharp.ts'
import { writeGoTest } from './examples/go.ts'
import { writeJavaTest } from './examples/java.ts'
import { writeOutline } from './examples/outline.ts'
import { writePhpTest } from './examples/php.ts'
import { writePythonTest } from './examples/python.ts'
import { writeRubyTest } from './examples/ruby.ts'
import { writeRustTest } from './examples/rust.ts'
import { writeScriptTest } from './examples/script.ts'
import type { BrowserFramework, TestFramework } from '../../repository/frameworks.ts'
import type { Language } from '../../repository/languages.ts'
import type { Smoke } from './smoke.ts'
import type { Subject } from './symbols.ts'

/** All that an example is written from. Texts of strangers are made safe for comments and titles beforehand. */
export interface Example {
  language: Language
  framework: TestFramework | BrowserFramework
  testType: TestType
  subject: Subject
  cases: Cases
  /** What is tested, in comments and titles. */
  title: string
  /** Safe paths, but exact: for code they still need quoting. */
  sourcePath: string
  testPath: string
  /** First lines of comment, without comment signs; no first or second line holds words of strangers. */
  header: readonly string[]
  /** In place of a skeleton, a test that passes; of languages that the mock can write one in. */
  smoke: Smoke | undefined
  usesRails: boolean
  /** The innermost Go module that the source is in. */
  goModule: { folder: string; name: string } | undefined
  /** Of PHP, where paths show it; empty for the global one. */
  namespace: readonly string[] | undefined
}

const writers: Record<Language, (example: Example) => string> = {
  typescript: writeScriptTest,
  javascript: writeScriptTest,
  python: writePythonTest,
  go: writeGoTest,
  java: writeJavaTest,
  ruby: writeRubyTest,
  rust: writeRustTest,
  php: writePhpTest,
  csharp: writeCSharpTest,
  other: writeOutline,
}

/** Writes a test that fails until somebody has stated what is expected. */
export function writeExample(example: Example): string {
  if (example.framework === 'playwright' || example.framework === 'cypress') return writeBrowserTest(example)
  return writers[example.language](example)
}
