import type { PathPrefix } from './find-reported.ts'

/** A target of covered lines in percent; `auto`: as much as the whole project on the base. Null: no rule. */
export type Target = number | 'auto' | null

/** The conditions of a gate. All of them must hold. */
export interface GateRules {
  /** Of the changed lines. */
  patchTarget: Target
  /** By how many percentage points a target may be missed. */
  tolerance: number
  /** The most changed lines that no test may run; null: no rule. */
  maxUncovered: number | null
  /** Whether a line of which a test takes only some branches counts as uncovered. */
  partialIsUncovered: boolean
  /** Whether changed code that no report names fails the gate. */
  requireMeasured: boolean
  /** Of all lines of the project. */
  projectTarget: Target
  projectTolerance: number
  /** Whether tests that fail only with the change fail the gate. Muted ones never do. */
  noNewFailures: boolean
  /** Whether tests that became flaky with the change fail the gate. */
  noNewFlaky: boolean
  /** The least share of small changes of the changed code that tests must notice, in percent; null: no rule. */
  killedMutants: number | null
  /** Whether the verdict of `changes.verify` on the change must be `proved`. */
  requireProof: boolean
}

/** A part of the repository, or of the uploads, with its own targets. */
export interface GateComponent {
  name: string
  /** Globs. Empty: all files. */
  paths: string[]
  /** Counts only coverage of uploads with this name; null: of all. */
  upload: string | null
  patchTarget: Target
  maxUncovered: number | null
}

export interface GatePolicy {
  /** `informational`: the gate says what it would decide, and never blocks. */
  mode: 'off' | 'informational' | 'enforced'
  rules: GateRules
  components: GateComponent[]
  uploads: {
    /** Names of the uploads that a commit needs before coverage is judged. */
    names: string[]
    /** How many uploads a commit needs before coverage is judged. */
    count: number | null
    /** Whether coverage is judged only after `assay upload --done`. */
    untilDone: boolean
  }
  /** Globs of files that do not count. */
  ignore: string[]
  pathPrefixes: PathPrefix[]
  /** After this time, a gate that still waits has the state `error`. */
  deadlineMinutes: number
  /** Whether pull requests get a comment, where there is something to say. */
  comment: boolean
}

export const defaultGatePolicy: Readonly<GatePolicy> = {
  mode: 'informational',
  rules: {
    patchTarget: 80,
    tolerance: 0,
    maxUncovered: null,
    partialIsUncovered: false,
    requireMeasured: false,
    projectTarget: null,
    projectTolerance: 0.5,
    noNewFailures: true,
    noNewFlaky: true,
    killedMutants: null,
    requireProof: false,
  },
  components: [],
  uploads: { names: [], count: null, untilDone: false },
  ignore: [],
  pathPrefixes: [],
  deadlineMinutes: 60,
  comment: true,
}
