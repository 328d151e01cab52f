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
  /** The first case is written out, the others are only named. */
  cases: readonly string[]
  /** Names the subject in titles. */
  title: string
  /** Safe paths, but exact: code has to quote them. */
  sourcePath: string
  testPath: string
  /** Comment lines without their sign. Python and Ruby read settings from the first two: no text of the analysis there. */
  header: readonly string[]
  /** Asks for a test that passes, in a language that the mock writes one in. */
  smoke: Smoke | undefined
}
