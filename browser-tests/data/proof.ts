import type { TestCandidate } from '../../engines/analysis/schema.ts'
import type { Evidence, Verdict, VerificationRun } from '../../engines/verdicts/schema.ts'
import { createGeneratedTestFor } from '../../core/generated-tests/testing.ts'
import type { GeneratedTestRow } from '../../core/generated-tests/entity.ts'
import { fingerprintOf } from '../../core/suggestions/fingerprint.ts'
import { createSuggestionFor } from '../../core/suggestions/testing.ts'
import { SuggestionStatus } from '../../core/suggestions/schema.ts'
import { createVerificationFor } from '../../core/verifications/testing.ts'
import type { VerificationRow } from '../../core/verifications/entity.ts'
import { after, before, day, hour, idAt, second } from './random.ts'
import { mutantsAt } from './mutants.ts'
import type { Scene } from './target.ts'

const verifiedInMs = 39_000
const statuses = SuggestionStatus.options
const verdicts: readonly Verdict[] = ['accepted', 'no_gain', 'flaky', 'not_built', 'suspected_bug', 'accepted']

export interface Proof {
  verificationIds: string[]
  generatedTestIds: string[]
}

/** Fills suggestions of all statuses, tests that were generated for them, and verifications with every verdict. */
export async function fillProof(scene: Scene, candidates: readonly TestCandidate[]): Promise<Proof> {
  const { app, project, now, repository } = scene
  const commitSha = repository.commits[0] ?? 'c'.repeat(40)
  const proof: Proof = { verificationIds: [], generatedTestIds: [] }
  for (const [index, candidate] of candidates.slice(0, 24).entries()) {
    const createdAt = before(now, index * 31 * hour + hour)
    const testType = index % 5 === 4 ? 'integration' : 'unit'
    const { path, symbol, startLine, endLine, cases = [] } = candidate
    const id = idAt(createdAt)
    const of = { projectId: project.id, userId: scene.userIds[0] ?? '', commitSha, testType, createdAt } as const
    await createSuggestionFor(app, {
      ...of,
      id,
      filePath: path,
      description: `Test ${symbol} with the inputs that no test passes to it`,
      rationale: candidate.reasons.slice(0, 3).join('; '),
      exampleCode: testCode(candidate, 'throws on an empty value'),
      target: { symbol, startLine, endLine },
      // An open suggestion for cases becomes outdated when tests run them.
      caseIds: cases.length > 0 && index % 3 !== 0 ? cases.slice(0, 3).map((one) => one.id) : null,
      cases: cases.length > 0 ? cases.slice(0, 3) : null,
      moreCases: cases.length > 3 ? cases.length - 3 : null,
      fingerprint: fingerprintOf({ filePath: path, symbol, testType }),
      status: index % 3 === 0 ? 'open' : (statuses[index % statuses.length] ?? 'open'),
      updatedAt: createdAt,
    })
    if (index % 2 === 1) continue
    await fillGenerated(scene, candidate, { index, proof, generated: { ...of, suggestionId: id } })
  }
  await fillUnfinished(scene, proof)
  return proof
}

interface Place {
  index: number
  proof: Proof
  generated: Pick<GeneratedTestRow, 'projectId' | 'userId' | 'suggestionId' | 'commitSha' | 'testType' | 'createdAt'>
}

async function fillGenerated(
  scene: Scene,
  candidate: TestCandidate,
  { index, proof, generated }: Place,
): Promise<void> {
  const { app, project, repository } = scene
  const createdAt = after(generated.createdAt, 40 * second)
  const filePath = `test/${fileNameOf(candidate.path)}-${index}.test.js`
  const code = testCode(candidate, 'keeps what it was given')
  const { path, symbol, startLine, endLine } = candidate
  const target = { path, symbol, startLine, endLine }
  const verdict = verdicts[(index / 2) % verdicts.length] ?? 'accepted'
  const verificationId = idAt(after(createdAt, 20 * second))
  const generatedTestId = idAt(createdAt)
  await createGeneratedTestFor(app, {
    ...generated,
    id: generatedTestId,
    createdAt,
    filePath,
    code,
    framework: 'node:test',
    description: `${symbol} keeps what it was given`,
    target,
    caseIds: candidate.cases?.slice(0, 2).map(({ id }) => id) ?? null,
    verdict,
    verificationId,
    dismissedAt: index % 8 === 6 ? after(createdAt, day) : null,
  })
  await createVerificationFor(app, {
    id: verificationId,
    projectId: project.id,
    userId: generated.userId,
    generatedTestId,
    suggestionId: generated.suggestionId,
    filePath,
    code,
    target,
    branch: repository.branch,
    commitSha: generated.commitSha,
    status: 'completed',
    verdict,
    evidence: evidenceFor(scene, verdict, candidate, filePath),
    attempt: 1,
    createdAt: after(createdAt, 20 * second),
    startedAt: after(createdAt, 22 * second),
    completedAt: after(createdAt, 22 * second + verifiedInMs),
  })
  proof.generatedTestIds.push(generatedTestId)
  proof.verificationIds.push(verificationId)
}

/** Verifications without a verdict, and one whose verdict is provisional. */
async function fillUnfinished(scene: Scene, proof: Proof): Promise<void> {
  const { app, project, now, repository, sources } = scene
  const [file = 'test/app.test.js', code = ''] = [...sources.testFiles][0] ?? []
  const rows: Partial<VerificationRow>[] = [
    { status: 'pending' },
    { status: 'running', startedAt: before(now, 30 * second), progress: { phase: 'repeating', done: 3, total: 5 } },
    {
      status: 'failed',
      error: { code: 'install_failed', message: 'npm ci ended with exit code 1: the lockfile is out of date.' },
      completedAt: before(now, hour),
    },
    { status: 'cancelled', completedAt: before(now, 2 * hour) },
  ]
  for (const [index, row] of rows.entries()) {
    const createdAt = before(now, (index + 1) * 40 * second)
    const commitSha = repository.commits[0] ?? null
    const of = { projectId: project.id, userId: scene.userIds[0] ?? '', branch: repository.branch, commitSha }
    const { id } = await createVerificationFor(app, {
      ...of,
      ...row,
      id: idAt(createdAt),
      createdAt,
      filePath: file,
      code: code.slice(0, 4_000),
    })
    proof.verificationIds.push(id)
  }
}

const reasons: Record<Verdict, [reason: string, summary: string]> = {
  accepted: [
    'kills_mutants',
    'The test passes in every run, reaches lines that no other test runs, and fails for 7 of 9 small changes of them.',
  ],
  no_gain: [
    'no_assertion_noticed',
    'The test runs the code, but no assertion notices any of 9 small changes of it. Assert what the function returns.',
  ],
  flaky: [
    'differs_between_runs',
    'The test passed in 3 of 5 runs. It compares the current time: pass a clock, or assert a range.',
  ],
  not_built: ['import_failed', "The file cannot be loaded: it imports '../lib/level.js', which does not exist."],
  suspected_bug: [
    'always_fails_alike',
    'The test fails in every run in the same way on the unchanged code. Either its expectation is wrong, or the code is.',
  ],
}

function evidenceFor(
  { sources, random, repository }: Scene,
  verdict: Verdict,
  candidate: TestCandidate,
  filePath: string,
): Evidence {
  const [reason, summary] = reasons[verdict]
  const { path, symbol, startLine, endLine } = candidate
  const isBuilt = verdict !== 'not_built'
  const failure: VerificationRun['failures'][number] = {
    test: `${symbol} keeps what it was given`,
    kind: isBuilt ? 'assertion' : 'not_built',
    message: isBuilt ? "Expected values to be strictly equal:\n\n'a' !== 'b'" : "Cannot find module '../lib/level.js'",
    file: filePath,
    line: 8,
  }
  const runs = Array.from({ length: isBuilt ? 8 : 1 }, (_, index): VerificationRun => {
    const isFailed = verdict === 'suspected_bug' || (verdict === 'flaky' && index % 3 === 1)
    return {
      kind: index < 5 ? 'alone' : 'suite',
      order: index > 5 ? 'random' : 'default',
      seed: index > 5 ? random.hex(8) : null,
      outcome: !isBuilt ? 'not_built' : isFailed ? 'failed' : 'passed',
      durationMs: random.between(240, 1_900),
      failures: isFailed || !isBuilt ? [failure] : [],
      broke: [],
    }
  })
  const isJudged = verdict === 'accepted' || verdict === 'no_gain'
  // As the reasons say: 9 changes were judged. One more could not run.
  const survived = verdict === 'accepted' ? 2 : 9
  return {
    reason,
    summary,
    target: { path, symbol, startLine, endLine },
    framework: 'node:test',
    command: `node --test ${filePath}`,
    baseline: {
      outcome: 'failed',
      totalTests: sources.tests.length,
      knownFailures: sources.tests.slice(3, 5).map(({ name }) => name),
      failedTests: 2,
      coverage: 86.41,
      durationMs: 21_400,
      cached: true,
    },
    collected: isBuilt ? { total: 2, names: [`${symbol} keeps what it was given`, `${symbol} throws`] } : null,
    runs,
    coverage: isBuilt
      ? {
          targetLinesReached: `${startLine}-${endLine}`,
          newTargetLines: verdict === 'no_gain' ? '' : `${startLine + 1}-${Math.max(startLine + 1, endLine - 1)}`,
          newTargetBranches: 3,
          newTargetBranchLines: String(startLine + 1),
          newProjectLines: verdict === 'no_gain' ? 0 : endLine - startLine,
          newProjectBranches: 3,
          before: 86.41,
          after: verdict === 'no_gain' ? 86.41 : 86.97,
        }
      : null,
    mutation: isJudged
      ? {
          found: 14,
          tried: 10,
          killed: 9 - survived,
          crashed: 0,
          timedOut: 0,
          invalid: 1,
          survived,
          newlyKilled: verdict === 'accepted' ? 5 : 0,
          seed: random.hex(8),
          survivors: mutantsAt(sources, path, startLine, endLine, survived),
        }
      : null,
    dependsOn: verdict === 'flaky' ? [{ kind: 'time', what: 'Date.now', path, line: startLine }] : [],
    style: { assertions: 3, weakAssertions: verdict === 'no_gain' ? 3 : 0, mocks: 1, mockShare: 0.25 },
    output: runs[0]?.outcome === 'passed' ? '✔ keeps what it was given (1.2ms)' : `✖ ${failure.message ?? ''}`,
    warnings: repository.commits.length > 1 ? [] : ['The repository has no history.'],
    durationMs: verifiedInMs,
  }
}

const fileNameOf = (path: string) => (path.split('/').at(-1) ?? path).split('.')[0] ?? 'file'

function testCode({ path, symbol }: TestCandidate, behavior: string): string {
  const name = symbol.split('.').at(-1) ?? symbol
  return `import { test } from 'node:test'
import assert from 'node:assert/strict'
import { ${name} } from '../${path}'

test('${name} ${behavior}', () => {
  const given = { level: 'info', value: 42 }
  assert.deepEqual(${name}(given), given)
})
`
}
