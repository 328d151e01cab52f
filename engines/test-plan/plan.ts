/** A command of a plan. It runs without a shell, unless a setting gives it as one line. */
export interface Step {
  argv: readonly string[]
  /** As a person would type it. */
  command: string
  /** The command that a user would type for the same tests, without our reporters, if it differs from `command`. */
  short?: string
  environment: Readonly<Record<string, string>>
  /** The reason for this command: a clause after "because", such as "package.json names vitest". */
  because: string
  /** A file below `{output}` for a copy of stdout, for runners that print their report: `go.json`. */
  stdoutReport?: string
}

/** How to run the tests of one folder. A repository with several programs in separate folders has several parts. */
export interface PlanPart {
  /** Relative to the repository; empty for the repository itself. Every path below is relative to it. */
  directory: string
  /** `javascript`, `python`, `go`, `rust`, `java`, `ruby`, `php`, `csharp`, or `custom`. */
  ecosystem: string
  /** `npm`, `pnpm`, `poetry`, `cargo`, `maven` …; null if nothing is installed. */
  manager: string | null
  /** `vitest`, `pytest` …; null for a custom command. */
  framework: string | null
  /** The framework that the manifests name, where the command is a program of the project that may use it. */
  writtenFor?: string
  install: InstallStep | null
  /** Steps that also follow a restored install, such as a `prepare` script. They run under the conditions of tests. */
  prepare: readonly Step[]
  test: Step
  /** `test` without coverage, with the same number of targets; absent if coverage is off or costs no time. */
  unmeasured?: Step
  /** Options before the targets for a random order, with `{seed}` for a number; absent if the runner has none. */
  shuffle?: readonly string[]
  /** How many of the last arguments of `test.argv` are targets, which a selection replaces. Absent: no selection is possible. */
  targetCount?: number
  /**
   * Globs of the files that the test command collects, relative to `directory`, in the dialect of `globMatcher`; a glob
   * after an exclamation mark excludes files. Absent if the plan does not know them.
   */
  testFiles?: readonly string[]
  /** The globs of reports, relative to `directory` or below `{output}`. */
  reports: readonly string[]
  /** The globs of reports to read if there is none of `reports`. */
  elseReports?: readonly string[]
  coverage: readonly string[]
  /** Exit codes of the test command that mean "tests failed"; 0 means "all passed". Null: unknown. */
  failureExitCodes: readonly number[] | null
  /** Says that no manifest names the runner, for when it turns out not to be installed. */
  undeclared?: string
  /** What could be better, for the person who reads the plan: "no coverage, because … is not installed". */
  notes: readonly string[]
}

export interface InstallStep extends Step {
  /** Files that decide what is installed, relative to the repository. Empty: the install is never cached. */
  lockfiles: readonly string[]
  /**
   * Whether the install runs code that any file of the commit can change, such as an install script. If not, the same
   * lockfiles give the same install.
   */
  readsTree: boolean
  /** What the install leaves in the repository and belongs in the cache: names of folders at any depth, as `node_modules`. */
  folders: readonly string[]
  /** The install also fills `{deps}`, which is cached with them. */
  fillsDeps: boolean
}

export interface RunPlan {
  parts: readonly PlanPart[]
}

/**
 * Placeholders in `argv`, `command`, `environment` and globs, replaced when a step is run: `{output}` an empty folder
 * for reports, `{deps}` a folder for dependencies outside the repository that is the same path in every run, `{tools}`
 * the read-only folder of our own helpers (`engines/test-plan/tools/`), `{root}` the repository.
 */
export const placeholders = ['{output}', '{deps}', '{tools}', '{root}'] as const

/** Explains why there is no plan, and which setting makes one. */
export class PlanError extends Error {
  override name = 'PlanError'
  readonly code: 'nothing_detected' | 'no_tests' | 'unsupported' | 'bad_setting'
  constructor(code: PlanError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The files of a commit, to look for manifests in. Paths are relative, with slashes, and plain text. */
export interface SourceTree {
  paths: readonly string[]
  /** Returns null if the file does not exist, is not a regular file, or is larger than 1 MiB. */
  read(path: string): Promise<string | null>
}

/** What the project's settings override. */
export interface PlanSettings {
  installCommand: string | null
  testCommand: string | null
  workingDirectory: string | null
  reportGlobs: readonly string[]
  coverageGlobs: readonly string[]
}

/** Returns only these settings, without others that a project has. */
export const planSettingsOf = (settings: PlanSettings): PlanSettings => ({
  installCommand: settings.installCommand,
  testCommand: settings.testCommand,
  workingDirectory: settings.workingDirectory,
  reportGlobs: settings.reportGlobs,
  coverageGlobs: settings.coverageGlobs,
})

/** What a run is confined to. Both empty: everything. */
export interface Selection {
  /** Files and folders, relative to the repository. */
  paths: readonly string[]
  /** Tests that were reported before. */
  tests: readonly { suite: string; name: string; file: string | null }[]
}

/** UNIT, INTEGRATION and E2E choose a script, if the project has separate ones. */
export type PlanType = 'UNIT' | 'INTEGRATION' | 'E2E' | 'ALL'
