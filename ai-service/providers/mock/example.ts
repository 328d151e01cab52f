import type { TestType } from '../../../core/ai/schema.ts'
import type { Facts } from '../../repository/facts.ts'
import type { BrowserFramework, TestFramework } from '../../repository/frameworks.ts'
import type { Language } from '../../repository/languages.ts'
import type { Smoke } from './smoke.ts'
import type { Subject } from './symbols.ts'

/** The facts that a test is written from. Texts of the analysis are made safe for comments and titles beforehand. */
export interface Example {
  facts: Facts
  language: Language
  framework: TestFramework | BrowserFramework
  testType: TestType
  subject: Subject
  /** The first case gets code, the others only a name. */
  cases: readonly string[]
  /** Names the subject in titles. */
  title: string
  /** The exact paths. Code must quote them. */
  sourcePath: string
  testPath: string
  /** Comment lines without `//` or `#`. The first two contain no text of the analysis: Python and Ruby read settings there. */
  header: readonly string[]
  /** Set for a smoke test, in languages that support it. */
  smoke: Smoke | undefined
}
