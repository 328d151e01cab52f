import { createChangeFor } from '../../core/changes/testing.ts'
import { createSnapshotFor } from '../../core/snapshots/testing.ts'
import { type ChangeEvidence, ChangeVerdict, type TestTransition } from '../../engines/verdicts/change/schema.ts'
import { after, before, day, hour, idAt, minute, second } from './random.ts'
import { mutantsAt } from './mutants.ts'
import type { Scene } from './target.ts'

const checkedInMs = 93_000

const reasons: Record<ChangeVerdict, [reason: string, summary: string, missing: string[]]> = {
  proved: ['fails_without_the_change', 'Three tests of the change fail without it and pass with it.', []],
  unproved: [
    'no_test_fails_without_it',
    'All tests pass, and they also pass without the change. Add a test that fails on the base.',
    ['A test that fails on the base commit.', 'Tests for 4 changed lines that no test runs.'],
  ],
  broken: ['breaks_tests', 'Three tests passed on the base commit and fail with the change.', ['Passing tests.']],
  not_built: ['head_not_built', 'The tests of the head cannot start: a module is missing.', ['A commit that builds.']],
  flaky: ['differs_between_runs', 'A test of the change passed in 2 of 3 runs.', ['A test with one result.']],
  no_code_changed: ['no_code_changed', 'The change only touches documentation.', []],
}

/** Fills changes with every verdict and status, and the snapshots of some of them. Returns the ids of the changes. */
export async function fillChanges(scene: Scene): Promise<string[]> {
  const { app, project, now, repository } = scene
  const ids: string[] = []
  const [head = 'b'.repeat(40), base = 'a'.repeat(40)] = repository.commits
  for (const [index, verdict] of [...ChangeVerdict.options, ...ChangeVerdict.options].entries()) {
    const createdAt = before(now, index * 2.7 * day + hour)
    const userId = scene.userIds[index % scene.userIds.length] ?? ''
    const snapshot =
      index % 4 === 3
        ? await createSnapshotFor(app, {
            projectId: project.id,
            id: idAt(before(createdAt, minute)),
            userId,
            headSha: head,
            branch: repository.branch,
            files: 12 + index,
            bytes: 48_000 * (index + 1),
            createdAt: before(createdAt, minute),
            lastUsedAt: createdAt,
          })
        : undefined
    const { id } = await createChangeFor(app, {
      id: idAt(createdAt),
      projectId: project.id,
      userId,
      base: repository.branch,
      baseSha: base,
      head: snapshot
        ? null
        : (['feature/stream-backpressure', 'fix/empty-chunk', 'refactor/levels'][index % 3] ?? null),
      headSha: snapshot?.commitSha ?? head,
      snapshotId: snapshot?.id ?? null,
      intent: index % 5 === 4 ? 'same' : 'change',
      status: 'completed',
      verdict,
      evidence: evidenceOf(scene, verdict, base, head),
      attempt: 1,
      createdAt,
      startedAt: after(createdAt, 2 * second),
      completedAt: after(createdAt, 2 * second + checkedInMs),
    })
    ids.push(id)
  }
  const startedAt = before(now, 40 * second)
  const userId = scene.userIds[0] ?? ''
  const running = {
    projectId: project.id,
    userId,
    head: 'feature/stream-backpressure',
    base: repository.branch,
    baseSha: base,
    headSha: head,
    createdAt: startedAt,
  }
  const { id } = await createChangeFor(app, {
    ...running,
    id: idAt(startedAt),
    status: 'running',
    startedAt,
    progress: { phase: 'mutating', done: 4, total: 20 },
    verdict: 'proved',
    evidence: { ...evidenceOf(scene, 'proved', base, head), mutation: null, notRun: ['mutants'] },
  })
  await createChangeFor(app, { ...running, id: idAt(now), createdAt: now })
  return [id, ...ids]
}

/** How tests with a transition belong to the change. The others are tests that the change does not touch. */
const ofChange: Partial<Record<TestTransition, 'added' | 'changed'>> = {
  new_passing: 'added',
  flaky: 'added',
  fails_to_passes: 'changed',
}

function evidenceOf(
  { sources, random }: Scene,
  verdict: ChangeVerdict,
  baseSha: string,
  headSha: string,
): ChangeEvidence {
  const [reason, summary, missing] = reasons[verdict]
  const long = sources.files.filter(({ code }) => code.length > 12)
  const file = long[random.between(0, Math.min(8, long.length - 1))]
  const transitions: readonly TestTransition[] =
    verdict === 'broken'
      ? ['broken', 'broken', 'broken', 'new_passing', 'fails_both']
      : verdict === 'proved'
        ? ['fails_to_passes', 'fails_to_passes', 'new_passing', 'gone']
        : verdict === 'flaky'
          ? ['flaky', 'new_passing']
          : verdict === 'unproved'
            ? ['new_passing']
            : []
  const tests = transitions.map((transition, index): ChangeEvidence['tests'][number] => {
    const test = sources.tests[index * 3]
    const isOfChange = ofChange[transition] ?? null
    const name = `${test?.suite ?? ''} ${test?.name ?? 'a test'}`
    const isFailing = transition === 'broken' || transition === 'fails_both' || transition === 'flaky'
    return {
      test: name,
      file: test?.file ?? null,
      line: test?.line ?? null,
      transition,
      isOfChange,
      withoutChange: isOfChange && (verdict === 'unproved' ? 'passes' : 'fails'),
      failure: isFailing
        ? {
            test: name,
            kind: 'assertion',
            message: "'a' !== 'b'",
            file: test?.file ?? null,
            line: (test?.line ?? 0) + 4,
          }
        : null,
    }
  })
  const isBuilt = verdict !== 'not_built'
  const hasPatch = isBuilt && verdict !== 'no_code_changed'
  const counts = countsOf(transitions, isBuilt ? sources.tests.length - 4 : 0)
  const code = file?.code ?? []
  const uncovered = verdict === 'unproved' && file ? [code[6] ?? 1, code[9] ?? 1] : undefined
  return {
    reason,
    summary,
    missing,
    base: { ...baseOf(counts, isBuilt ? 0 : sources.tests.length), commitSha: baseSha },
    head: { ...headOf(counts, isBuilt), commitSha: headSha },
    files: { code: verdict === 'no_code_changed' ? 0 : 3, tests: tests.length > 0 ? 1 : 0, other: 2 },
    counts,
    tests,
    patch: hasPatch
      ? {
          lines: 28,
          coveredLines: uncovered ? 24 : 28,
          branches: 10,
          coveredBranches: 9,
          partialLines: 1,
          partial: file ? [{ path: file.path, line: code[4] ?? 1, taken: 1, total: 2 }] : [],
          percent: uncovered ? 85.7 : 100,
          uncovered:
            file && uncovered
              ? [
                  {
                    path: file.path,
                    startLine: uncovered[0] ?? 1,
                    endLine: uncovered[1] ?? 1,
                    code: file.lines.slice((uncovered[0] ?? 1) - 1, uncovered[1]).join('\n'),
                    cases: ['The stream ended early: returns undefined'],
                  },
                ]
              : [],
          unmeasured: [],
        }
      : null,
    mutation: hasPatch
      ? {
          found: 24,
          tried: 20,
          killed: 17,
          timedOut: 0,
          invalid: 1,
          survived: 2,
          seed: random.hex(8),
          survivors: file ? mutantsAt(sources, file.path, 1, file.lines.length, 2) : [],
        }
      : null,
    notRun: [],
    command: 'node --test test/levels.test.js',
    output: verdict === 'broken' ? "✖ the default level is info (1.4ms)\n  'debug' !== 'info'" : '',
    warnings: [],
    durationMs: checkedInMs,
  }
}

type Counts = ChangeEvidence['counts']

function countsOf(transitions: readonly TestTransition[], unchanged: number): Counts {
  const count = (wanted: TestTransition) => transitions.filter((one) => one === wanted).length
  return {
    fails_to_passes: count('fails_to_passes'),
    passes_to_passes: unchanged,
    broken: count('broken'),
    fails_both: count('fails_both'),
    new_passing: count('new_passing'),
    new_failing: 0,
    gone: count('gone'),
    flaky: count('flaky'),
  }
}

type Side = Omit<ChangeEvidence['base'], 'commitSha'>

const sideOf = (totalTests: number, failedTests: number, cached: boolean): Side => ({
  outcome: failedTests > 0 ? 'failed' : 'passed',
  totalTests,
  failedTests,
  problem: null,
  durationMs: 24_300,
  cached,
})

/** @param others - the tests that nothing is compared with */
function baseOf({ fails_to_passes, passes_to_passes, broken, fails_both, gone }: Counts, others: number): Side {
  const failed = fails_to_passes + fails_both
  return sideOf(passes_to_passes + broken + gone + failed + others, failed, true)
}

function headOf(counts: Counts, isBuilt: boolean): Side {
  const { fails_to_passes, passes_to_passes, broken, fails_both, new_passing, flaky } = counts
  const failed = broken + fails_both
  const side = sideOf(passes_to_passes + fails_to_passes + new_passing + flaky + failed, failed, false)
  return isBuilt ? side : { ...side, outcome: 'not_built', problem: "Cannot find module '../lib/level.js'" }
}
