import type { Context } from '../../base/context.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import type { VerificationRow } from '../entity.ts'
import type { VerificationPhase } from '../schema.ts'
import type { Workspace } from './workspace.ts'

/** The input of every phase of a verification. */
export interface Task {
  ctx: Context
  /** For the tasks that read sources and texts of tests. */
  runner: TaskRunner
  verification: VerificationRow
  workspace: Workspace
  settings: ProjectSettings
  /** Whether the project has no other tests to compare with. */
  isFirst: boolean
  report: VerdictScope<VerificationRow, VerificationPhase>['report']
  /** Adds a warning to the evidence, once per message. */
  warn: (message: string) => void
}
