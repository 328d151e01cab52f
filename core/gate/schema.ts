import { z } from 'zod'
import { GateReason, GateState } from '../../engines/gate/schema.ts'
import { GatePolicyChange } from '../gate-policy/schema.ts'
import { branch, commitSha, page, Pagination, url, userEmail, waitSeconds } from '../base/input-fields/schema.ts'

export { GateReason, GateState }

const Share = z.object({ covered: z.int(), total: z.int() })

/** A test that the gate names. */
export const NamedTest = z.object({
  testId: z.string(),
  variant: z.string(),
  suite: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  runId: z.string(),
})

/** What the gate knows in numbers. `percent` is not rounded; null where there is nothing to measure, never 100. */
export const GateFigures = z.object({
  /** Changed lines that reports name. */
  lines: z.object({ ...Share.shape, percent: z.number().nullable() }),
  /** Null if the reports contain no branches. */
  branches: z.object({ ...Share.shape, percent: z.number().nullable() }).nullable(),
  /** Changed lines that no test runs. */
  uncovered: z.int(),
  /** Changed files that reports name, and code that none names. */
  changedFiles: z.int(),
  /** Changed code that no report names: the first 50. */
  unmeasured: z.array(z.string()),
  unmeasuredCount: z.int(),
  /** Coverage of the whole project. `fromRemoved`: the part of `change` that comes from removed code. */
  project: z
    .object({
      head: z.number(),
      base: z.number().nullable(),
      change: z.number().nullable(),
      fromRemoved: z.number().nullable(),
      baseSha: z.string().nullable(),
    })
    .nullable(),
  /** The first 20 tests that fail with the change, and that became flaky with it. */
  failures: z.object({ fresh: z.array(NamedTest), freshCount: z.int(), known: z.int(), muted: z.int() }),
  flaky: z.object({ fresh: z.array(NamedTest), freshCount: z.int() }),
  /** The final verdict of `changes.verify` that the rules `proof` and `mutants` judge; null if there is none. */
  proof: z.object({ verdict: z.string(), changeId: z.string() }).nullable().default(null),
  runs: z.object({ open: z.int(), ended: z.int() }),
  uploads: z.object({ names: z.array(z.string()), count: z.int(), isDone: z.boolean() }),
  /** Reports named files by other paths, which were found by their end: the first 20. */
  matched: z.array(z.object({ path: z.string(), reported: z.string() })),
})
export type GateFigures = z.infer<typeof GateFigures>

const LineRange = z.tuple([z.int(), z.int()])

/** A case of the code that no test runs. */
export const UncoveredCase = z.object({ line: z.int(), text: z.string() })

/** A changed file with something to say. */
export const FileOfGate = z.object({
  path: z.string(),
  /** `unmeasured`: no report names it. `unknown`: another version of it was measured. */
  state: z.enum(['measured', 'unmeasured', 'unknown']),
  /** Of the changed lines. */
  covered: z.int(),
  uncoveredCount: z.int(),
  /** Changed lines that no test runs: the first 100 ranges. */
  uncovered: z.array(LineRange),
  /** Changed lines of which tests take only some branches: the first 100. */
  partial: z.array(z.object({ line: z.int(), covered: z.int(), total: z.int() })),
  /** The function or class around the first uncovered line. */
  symbol: z.string().nullable(),
  cases: z.array(UncoveredCase),
  /** The test file that is nearest to it by its name and folder. */
  nearestTest: z.string().nullable(),
})
export type FileOfGate = z.infer<typeof FileOfGate>

export const Gate = z.object({
  id: z.string(),
  projectId: z.string(),
  url,
  state: GateState,
  /** `informational`: the gate never blocks. */
  mode: z.enum(['off', 'informational', 'enforced']),
  /** What the code host and the exit code of CI say: the state, or `neutral` if the gate does not block. */
  conclusion: GateState,
  headSha: z.string().nullable(),
  snapshotId: z.string().nullable(),
  branch: z.string().nullable(),
  pullRequest: z.int().nullable(),
  base: z.string(),
  /** The last commit in common with the base; null until it is known. */
  baseSha: z.string().nullable(),
  /** Those that fail come first, then those that wait. */
  reasons: z.array(GateReason),
  /** Null until the first decision. */
  figures: GateFigures.nullable(),
  /** Files with uncovered changed lines or none measured, the most uncovered ones first: the first 10. `gate.files` lists all. */
  files: z.array(FileOfGate),
  /** Results arrived that the decision does not know yet. */
  isOutdated: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().nullable(),
  /** A gate that still waits then has the state `error`. */
  deadlineAt: z.iso.datetime(),
})
export type Gate = z.infer<typeof Gate>

export const CheckGate = z.strictObject({
  projectId: z.string(),
  /** A branch or a full commit id. Defaults to the project's branch. */
  head: z.union([commitSha, branch]).optional(),
  /** Instead of `head`: the latest commit of a pull request, from the code host or else from uploads and webhooks. */
  pullRequest: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** Instead of `head`. */
  snapshotId: z.string().optional(),
  /** A branch, tag or commit to compare with. Defaults to the project's branch. */
  base: z.string().trim().min(1).max(255).optional(),
  /** The call returns as soon as the gate is decided, or after this time. */
  waitSeconds,
  userEmail,
})
export type CheckGate = z.infer<typeof CheckGate>

export const GetGate = z.strictObject({ gateId: z.string(), waitSeconds, userEmail })
export type GetGate = z.infer<typeof GetGate>

export const ListGates = z.strictObject({
  projectId: z.string(),
  state: GateState.exclude(['neutral']).optional(),
  branch: branch.optional(),
  pullRequest: CheckGate.shape.pullRequest,
  ...page,
  userEmail,
})
export type ListGates = z.infer<typeof ListGates>

export const GatesPage = z.object({ gates: z.array(Gate), pagination: Pagination })
export type GatesPage = z.infer<typeof GatesPage>

export const ListGateFiles = z.strictObject({ gateId: z.string(), ...page, userEmail })
export type ListGateFiles = z.infer<typeof ListGateFiles>

export const GateFilesPage = z.object({
  files: z.array(
    FileOfGate.extend({
      /** The uncovered lines, and those with a missing branch, as they are in the commit: up to 40. */
      code: z.array(z.object({ line: z.int(), text: z.string() })),
    }),
  ),
  pagination: Pagination,
})
export type GateFilesPage = z.infer<typeof GateFilesPage>

export const FinishUploads = z.strictObject({ projectId: z.string(), commitSha, userEmail })
export type FinishUploads = z.infer<typeof FinishUploads>

export const FinishedUploads = z.object({ commitSha: z.string(), finishedAt: z.iso.datetime() })
export type FinishedUploads = z.infer<typeof FinishedUploads>

export const PreviewGatePolicy = z.strictObject({
  projectId: z.string(),
  policy: GatePolicyChange,
  ...page,
  userEmail,
})
export type PreviewGatePolicy = z.infer<typeof PreviewGatePolicy>

/** What another policy would have decided about the latest gates. */
export const GatePolicyPreview = z.object({
  /** The number of gates by state, now and with the other policy. */
  before: z.record(GateState, z.int()),
  after: z.record(GateState, z.int()),
  /** The gates with another state, newest first. */
  changed: z.array(
    z.object({
      gateId: z.string(),
      headSha: z.string().nullable(),
      branch: z.string().nullable(),
      pullRequest: z.int().nullable(),
      from: GateState,
      to: GateState,
      /** The first reason of the decision that is not a success. */
      reason: z.string(),
      createdAt: z.iso.datetime(),
    }),
  ),
  examined: z.int(),
  pagination: Pagination,
})
export type GatePolicyPreview = z.infer<typeof GatePolicyPreview>
