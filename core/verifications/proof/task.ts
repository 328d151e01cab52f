import type { Context } from '../../base/context.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import type { VerificationRow } from '../entity.ts'
import type { VerificationPhase } from '../schema.ts'
import type { Workspace } from './workspace.ts'

/** Says how far the work is; without numbers the phase has no runs that could be counted. */
export type Report = (phase: VerificationPhase, done?: number, total?: number) => void

/** What every phase of a verification works with. */
export interface Task {
  ctx: Context
  verification: VerificationRow
  workspace: Workspace
  settings: ProjectSettings
  /** Of the project, where the test has no other tests beside it. */
  isFirst: boolean
  report: Report
  /** What whoever reads the verdict should know. The same message counts once. */
  warn: (message: string) => void
}
