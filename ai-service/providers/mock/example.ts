import type { TestType } from '../../../core/ai/schema.ts'
import type { Facts } from '../../repository/facts.ts'
import type { BrowserFramework, TestFramework } from '../../repository/frameworks.ts'
import type { Language } from '../../repository/languages.ts'
import type { CallShape } from './call-shape.ts'
import type { GivenConstruction, GivenImport, GivenParameter } from './given-import.ts'
import type { Smoke } from './smoke.ts'
import type { Subject } from './symbols.ts'

/** The facts that a test is written from. Texts of the analysis are made safe for comments and titles beforehand. */
export interface Example {
  facts: Facts
  language: Language
  framework: TestFramework | BrowserFramework
  testType: TestType
  subject: Subject
  /** What each test is about. The first one gets code, the others only fail. */
  cases: readonly string[]
  /** True if they are cases of the code; false for one test of which only the subject is known. */
  hasCases: boolean
  /** The import of the brief, if it has one that can be used. */
  givenImport: GivenImport | undefined
  /** Makes the object of a method, if the brief says how. */
  construction: GivenConstruction | undefined
  /** The parameters of the call, in order; undefined if they are not known. */
  parameters: readonly GivenParameter[] | undefined
  shape: CallShape
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
