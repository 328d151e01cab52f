import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { ChangedFile } from '../../../engines/verdicts/change/facts.ts'
import type { Context } from '../../base/context.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import type { ProjectSettings } from '../../projects/schema.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import type { Executor } from '../../../engines/sandbox/executor.ts'
import type { ChangeRow } from '../entity.ts'
import type { ChangePhase } from '../schema.ts'
import type { WorkTime } from './work-time.ts'

/** The input of every phase of the verification of a change. */
export interface Task {
  ctx: Context
  /** For the tasks that read sources and texts of tests. */
  runner: TaskRunner
  change: ChangeRow
  project: Omit<ProjectRow, 'settings'>
  settings: ProjectSettings
  executor: Executor
  /** The project's variables that the commands may see: none if one of the commits is a stranger's. */
  environment: Readonly<Record<string, string>>
  mask: (text: string) => string
  /** Holds the kept installs that the commands use. */
  inUse: DisposableStack
  files: readonly ChangedFile[]
  report: VerdictScope<ChangeRow, ChangePhase>['report']
  /** Adds a warning to the evidence, once per message. */
  warn: (message: string) => void
  /** No further run may start when it is over. */
  time: WorkTime
}
