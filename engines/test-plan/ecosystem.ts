import type { Folder } from './folder.ts'
import type { SimpleCommand } from './command-line.ts'
import type { InstallStep, PlanPart, PlanType, Step } from './plan.ts'
import { quoted } from './command-line.ts'

/** How to run the tests of a folder after the install. */
export type TestPlan = Pick<
  PlanPart,
  | 'framework'
  | 'writtenFor'
  | 'test'
  | 'unmeasured'
  | 'shuffle'
  | 'targetCount'
  | 'testFiles'
  | 'reports'
  | 'elseReports'
  | 'coverage'
  | 'failureExitCodes'
  | 'undeclared'
  | 'notes'
> & { prepare?: readonly Step[] }

/** How everything is installed. */
export type InstallPlan = Pick<PlanPart, 'manager' | 'install' | 'prepare' | 'notes'>

/** A language with its package managers and test runners. */
export interface Ecosystem {
  name: string
  /** Whether the folder holds a program of it. */
  claims(folder: Folder): boolean
  install(folder: Folder): Promise<InstallPlan>
  /**
   * Several where a script runs several runners. Empty where the folder has no tests.
   *
   * @throws PlanError `unsupported` if the project has no separate tests of this type
   */
  tests(folder: Folder, type: PlanType): Promise<TestPlan[]>
  /** Subfolders that the same install serves, for a root without tests. */
  members?(folder: Folder): Promise<string[]>
  /** Finds the globs of the files that a test command collects; see `PlanPart.testFiles`. */
  collected?(folder: Folder, plan: TestPlan): Promise<string[] | undefined>
  /** Returns the custom command with reporters; null if it is not a plain command of a known runner. */
  adopt(folder: Folder, command: SimpleCommand): Promise<TestPlan | null>
}

interface StepDetails {
  because: string
  environment?: Record<string, string>
  /** For commands whose arguments differ from what a user would type. */
  command?: string
  stdoutReport?: string
}

export function step(argv: readonly string[], { because, environment = {}, command, stdoutReport }: StepDetails): Step {
  return { argv, command: command ?? quoted(argv), environment, because, ...(stdoutReport && { stdoutReport }) }
}

/** A step that a shell runs; `command` stays the line itself. */
export function shellStep(line: string, details: StepDetails, ...args: string[]): Step {
  return step(['sh', '-c', line, ...(args.length > 0 ? ['sh', ...args] : [])], { command: line, ...details })
}

interface InstallDetails {
  lockfiles: string[]
  readsTree: boolean
  folders?: string[]
  fillsDeps?: boolean
}

export function installStep(
  made: Step,
  { lockfiles, readsTree, folders = [], fillsDeps = false }: InstallDetails,
): InstallStep {
  return { ...made, lockfiles: [...new Set(lockfiles)].toSorted(), readsTree, folders, fillsDeps }
}

export const nothingToInstall: InstallPlan = { manager: null, install: null, prepare: [], notes: [] }
