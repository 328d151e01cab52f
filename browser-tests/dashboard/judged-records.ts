import { newId } from '../../core/base/ids.ts'
import { ChangeEntity, type ChangeRow } from '../../core/changes/entity.ts'
import { MeasurementEntity, type MeasurementRow } from '../../core/strength/entity.ts'
import type { TestApp } from '../../core/testing/app.ts'
import { pending } from '../../core/verdicts/record.ts'
import { VerificationEntity, type VerificationRow } from '../../core/verifications/entity.ts'
import type { ChangeEvidence } from '../../engines/verdicts/change/schema.ts'
import type { Evidence } from '../../engines/verdicts/schema.ts'
import type { StrengthEvidence } from '../../engines/strength/schema.ts'

type Owner = { projectId: string; userId: string }

const common = ({ projectId, userId }: Owner) => ({
  ...pending,
  id: newId(new Date()),
  projectId,
  userId,
  tokenId: null,
  snapshotId: null,
  again: false,
  budgetSeconds: 60,
  createdAt: new Date(),
})

/** The state of a record that ended. */
export const ended = { status: 'completed', startedAt: new Date(), completedAt: new Date() } as const

const sha = 'a'.repeat(40)

export async function createVerification(app: TestApp, owner: Owner, fields: Partial<VerificationRow>) {
  const row = {
    ...common(owner),
    batchId: null,
    generatedTestId: null,
    suggestionId: null,
    filePath: 'test/cart.test.js',
    code: "test('adds up', () => {})\n",
    target: null,
    branch: 'main',
    commitSha: sha,
    repeats: 5,
    mutants: 20,
    withSecrets: false,
    ...fields,
  }
  await app.dataSource.getRepository(VerificationEntity).insert(row)
  return row.id
}

export async function createChange(app: TestApp, owner: Owner, fields: Partial<ChangeRow>) {
  const sides = { base: 'main', baseSha: 'b'.repeat(40), head: 'better-prices', headSha: sha }
  const row = { ...common(owner), ...sides, intent: 'change' as const, repeats: 3, mutants: 20, ...fields }
  await app.dataSource.getRepository(ChangeEntity).insert(row)
  return row.id
}

export async function createMeasurement(app: TestApp, owner: Owner, fields: Partial<MeasurementRow>) {
  const row = { ...common(owner), branch: 'main', commitSha: sha, paths: [], since: null, ...fields }
  await app.dataSource.getRepository(MeasurementEntity).insert(row)
  return row.id
}

const mutant = {
  path: 'src/price.js',
  line: 4,
  operator: 'boundary' as const,
  original: 'total > 10',
  replacement: 'total >= 10',
}

export const noGain: Evidence = {
  reason: 'says_too_little',
  summary: 'The test does not detect `total >= 10` in place of `total > 10`. Assert what happens at 10.',
  target: { path: 'src/price.js', symbol: 'price' },
  framework: 'vitest',
  command: 'npx vitest run test/cart.test.js',
  baseline: null,
  collected: { total: 1, names: ['<img src=x onerror=alert(1)>'] },
  runs: [
    { kind: 'alone', order: 'default', seed: null, outcome: 'passed', durationMs: 120, failures: [], broke: [] },
    {
      kind: 'suite',
      order: 'random',
      seed: '7',
      outcome: 'failed',
      durationMs: 900,
      failures: [{ test: 'adds up', kind: 'assertion', message: 'expected 1', file: 'test/cart.test.js', line: 3 }],
      broke: ['removes a line'],
    },
  ],
  coverage: {
    targetLinesReached: '1-4',
    newTargetLines: '3-4',
    newTargetBranches: 1,
    newProjectLines: 2,
    newProjectBranches: 1,
    before: 50,
    after: 52,
  },
  mutation: {
    found: 3,
    tried: 2,
    killed: 1,
    crashed: 0,
    timedOut: 0,
    invalid: 0,
    survived: 1,
    newlyKilled: null,
    seed: '1',
    survivors: [mutant],
  },
  dependsOn: [{ kind: 'time', what: 'Date.now', path: 'src/price.js', line: 2 }],
  style: { assertions: 2, weakAssertions: 1, mocks: 0, mockShare: 0 },
  output: '\u001B[31mnot a color\u001B[0m \u202Ereversed',
  warnings: ['Random order was not tried.'],
  durationMs: 4_000,
}

const side = { totalTests: 4, failedTests: 0, problem: null, durationMs: 900, cached: false }

export const unproved: ChangeEvidence = {
  reason: 'passes_without_it',
  summary: 'No test fails without the change. Add one.',
  missing: ['No test fails without the change. Add one.', 'Tests run 1 of 3 changed lines.'],
  base: { ...side, commitSha: 'b'.repeat(40), outcome: 'passed' },
  head: { ...side, commitSha: sha, outcome: 'passed' },
  files: { code: 1, tests: 1, other: 0 },
  counts: {
    fails_to_passes: 0,
    passes_to_passes: 3,
    broken: 0,
    fails_both: 0,
    new_passing: 1,
    new_failing: 0,
    gone: 0,
    flaky: 0,
  },
  tests: [
    {
      test: 'gives members more',
      file: 'test/cart.test.js',
      line: 9,
      transition: 'new_passing',
      isOfChange: 'added',
      withoutChange: 'passes',
      failure: null,
    },
  ],
  patch: {
    lines: 3,
    coveredLines: 1,
    branches: 2,
    coveredBranches: 1,
    partialLines: 1,
    partial: [{ path: 'src/price.js', line: 5, taken: 1, total: 2 }],
    percent: 33.3,
    uncovered: [
      {
        path: 'src/price.js',
        startLine: 7,
        endLine: 8,
        code: 'if (isMember)\n  return 1',
        cases: ['isMember: returns 1'],
      },
    ],
    unmeasured: [],
  },
  mutation: {
    found: 1,
    tried: 1,
    killed: 0,
    timedOut: 0,
    invalid: 0,
    survived: 1,
    seed: '1',
    survivors: [{ ...mutant, operator: 'restored' }],
  },
  notRun: [],
  command: 'npx vitest run test/cart.test.js',
  output: '',
  warnings: [],
  durationMs: 9_000,
}

const counts = { found: 6, reached: 5, tried: 4, noticed: 2, timedOut: 0, survived: 2 }
const strength = { percent: 50, interval: [30, 70] as [number, number] }
const survivor = {
  ...mutant,
  column: 7,
  context: null,
  symbol: 'price',
  case: null,
  nearestTest: { path: 'test/cart.test.js', name: 'adds up' },
  tests: 2,
  advice: 'Assert what happens where `total` equals `10`.',
}

export const weak: StrengthEvidence = {
  reason: 'budget_used',
  summary: 'Tests notice 2 of 4 small changes of the code that they run.',
  ...counts,
  kept: 0,
  strength,
  files: [
    { path: 'src/price.js', ...counts, survived: 1, strength },
    { path: 'lib/tax.js', ...counts, survived: 1, strength },
  ],
  folders: [
    { path: 'src', ...counts, survived: 1, strength },
    { path: 'lib', ...counts, survived: 1, strength },
  ],
  survivors: [survivor, { ...survivor, path: 'lib/tax.js', replacement: '' }],
  survivorsLeftOut: 0,
  unreached: { changes: 1, lines: 1, files: [{ path: 'src/price.js', changes: 1, lines: 1, at: [12] }] },
  sample: { tried: 2, disagreed: 0 },
  tests: { run: 4, failing: 1, kept: 0, failingTests: [{ path: 'test/old.test.js', name: 'is old' }] },
  warnings: [],
  durationMs: 20_000,
}
