import { createGateFor } from '../../core/gate/testing.ts'
import type { GateRow } from '../../core/gate/entity.ts'
import type { FileOfGate, GateFigures, GateReason } from '../../core/gate/schema.ts'
import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { after, before, day, hour, idAt, minute } from './random.ts'
import type { Scene } from './target.ts'

const branches = ['feature/stream-backpressure', 'fix/empty-chunk', 'refactor/levels'] as const

const reason = (
  rule: GateReason['rule'],
  outcome: GateReason['outcome'],
  text: string,
  fix: string | null = null,
): GateReason => ({ rule, component: null, outcome, text, fix })

const ended = reason('runs', 'passed', '2 runs of the commit ended with a result.')
const noFailure = reason('new_failures', 'passed', 'No test fails.')

/** Fills gates of each state and mode. Returns their ids; the first one fails. */
export async function fillGates(
  scene: Scene,
  runs: readonly TestRunRow[],
  changeIds: readonly string[],
): Promise<string[]> {
  const { app, project, now, repository } = scene
  const [head = 'b'.repeat(40), base = 'a'.repeat(40)] = repository.commits
  const runId = runs.find(({ failedTests }) => failedTests > 0)?.id ?? runs[0]?.id ?? ''
  const common = { projectId: project.id, base: repository.branch, baseSha: base, headSha: head }
  const ids: string[] = []
  for (const [index, decision] of decisionsOf(scene, runId, changeIds[2] ?? '').entries()) {
    const createdAt = before(now, index * 1.3 * day + hour)
    const decidedAt = decision.state === 'pending' ? null : after(createdAt, 4 * minute)
    const { id } = await createGateFor(app, {
      ...common,
      id: idAt(createdAt),
      subject: `${head}-${index}`,
      branch: branches[index % branches.length] ?? null,
      pullRequest: index % 4 === 3 ? null : 120 - index,
      createdAt,
      decidedAt,
      updatedAt: decidedAt ?? createdAt,
      deadlineAt: after(decision.state === 'pending' ? now : createdAt, hour),
      ...decision,
    })
    ids.push(id)
  }
  return ids
}

type Decision = Pick<GateRow, 'state' | 'mode' | 'reasons' | 'figures' | 'files'>

function decisionsOf(scene: Scene, runId: string, changeId: string): Decision[] {
  const files = filesOf(scene)
  const [first, second] = scene.sources.tests
  const named = [first, second].flatMap((test) =>
    test ? [{ testId: test.id, variant: '', suite: test.suite, name: test.name, file: test.file, runId }] : [],
  )
  const place = `${files[0]?.path ?? 'lib/a.js'}:${files[0]?.uncovered[0]?.join('-') ?? '1-2'}`
  const failed: Decision = {
    state: 'failure',
    mode: 'enforced',
    reasons: [
      reason(
        'new_failures',
        'failed',
        `1 test fails with the change: ${first?.name ?? 'a test'}.`,
        'Fix what it finds; `assay failures` shows each with its error. A test that also fails without the change can be muted with `assay quarantine`.',
      ),
      reason(
        'patch',
        'failed',
        '47 of 64 changed lines are covered (73.4 %; the goal is 80 %).',
        `Cover 5 more lines: ${place}.`,
      ),
      reason(
        'proof',
        'waiting',
        'Nobody has verified the change yet.',
        'Run `assay verify --change`, or let the agent call `verify_change`.',
      ),
      ended,
      reason('unmeasured', 'nothing', 'No report names 1 changed file with code: lib/new-level.js.'),
      reason('project', 'passed', 'The project is covered by 88.1 %, −0.4 points against 88.5 %.'),
    ],
    figures: {
      ...noFigures,
      lines: { covered: 47, total: 64, percent: 73.4375 },
      branches: { covered: 9, total: 14, percent: 64.28 },
      uncovered: 17,
      changedFiles: 6,
      unmeasured: ['lib/new-level.js'],
      unmeasuredCount: 1,
      project: {
        head: 88.1,
        base: 88.5,
        change: -0.4,
        fromRemoved: -0.1,
        baseSha: scene.repository.commits[1] ?? null,
      },
      failures: { fresh: named.slice(0, 1), freshCount: 1, known: 2, muted: 1 },
      flaky: { fresh: named.slice(1), freshCount: 1 },
      runs: { open: 0, ended: 2 },
      uploads: { names: ['unit', 'end to end'], count: 2, isDone: true },
      matched: [{ path: 'lib/tools.js', reported: '/home/ci/build/lib/tools.js' }],
    },
    files,
  }
  const passed: Decision = {
    state: 'success',
    mode: 'enforced',
    reasons: [
      ended,
      noFailure,
      reason('patch', 'passed', '38 of 40 changed lines are covered (95.0 %; the goal is 80 %).'),
    ],
    figures: { ...noFigures, lines: { covered: 38, total: 40, percent: 95 }, uncovered: 2, changedFiles: 3 },
    files: files.slice(0, 1),
  }
  const waiting: Decision = {
    state: 'pending',
    mode: 'enforced',
    reasons: [
      reason(
        'uploads',
        'waiting',
        'An upload is missing: end to end.',
        'Upload with `--name end to end`, or say `assay upload --done` when no more will come.',
      ),
      noFailure,
    ],
    figures: { ...noFigures, uploads: { names: ['unit'], count: 1, isDone: false } },
    files: [],
  }
  const nothing: Decision = {
    ...passed,
    reasons: [ended, noFailure, reason('patch', 'nothing', 'The change contains no line that a test could run.')],
    figures: noFigures,
    files: [],
  }
  const unproved: Decision = {
    ...failed,
    mode: 'informational',
    reasons: [
      reason(
        'proof',
        'failed',
        'The verdict on the change is `unproved`, not `proved`.',
        'Add a test that fails without the change, then verify it again.',
      ),
      ...passed.reasons,
    ],
    figures: passed.figures && { ...passed.figures, proof: { verdict: 'unproved', changeId } },
  }
  return [
    failed,
    waiting,
    passed,
    unproved,
    { ...waiting, state: 'error' },
    nothing,
    { ...passed, mode: 'informational' },
    { ...waiting, mode: 'off', reasons: [], figures: null, files: null },
  ]
}

const noFigures: GateFigures = {
  lines: { covered: 0, total: 0, percent: null },
  branches: null,
  uncovered: 0,
  changedFiles: 0,
  unmeasured: [],
  unmeasuredCount: 0,
  project: null,
  failures: { fresh: [], freshCount: 0, known: 0, muted: 0 },
  flaky: { fresh: [], freshCount: 0 },
  proof: null,
  runs: { open: 0, ended: 1 },
  uploads: { names: [], count: 0, isDone: false },
  matched: [],
}

/** More files than a page shows, with lines that are in the commit. */
function filesOf({ sources }: Scene): FileOfGate[] {
  const long = sources.files.filter(({ code }) => code.length > 12).slice(0, 14)
  const files = long.map(({ path, code }, index): FileOfGate => {
    const at = (number: number) => code[number] ?? 1
    return {
      path,
      state: 'measured',
      covered: 8,
      uncoveredCount: at(6) - at(3) + 2,
      uncovered: [
        [at(3), at(6)],
        [at(10), at(10)],
      ],
      partial: index % 2 === 0 ? [{ line: at(8), covered: 1, total: 2 }] : [],
      symbol: index % 3 === 0 ? 'write' : null,
      cases: index % 3 === 0 ? [{ line: at(3), text: 'The stream ended early: returns `undefined`' }] : [],
      nearestTest: 'test/stream.test.js',
    }
  })
  return [...files, fileWithoutLines('lib/old-level.js', 'unknown'), fileWithoutLines('lib/new-level.js', 'unmeasured')]
}

const fileWithoutLines = (path: string, state: FileOfGate['state']): FileOfGate => ({
  path,
  state,
  covered: 0,
  uncoveredCount: 0,
  uncovered: [],
  partial: [],
  symbol: null,
  cases: [],
  nearestTest: null,
})

/** Fills a gate whose texts are all hostile. Returns its id. */
export async function fillHostileGate(
  app: Scene['app'],
  projectId: string,
  texts: readonly string[],
  testIds: readonly string[],
): Promise<string> {
  const paths = texts.map((text) => `src/${text.slice(0, 900)}.js`)
  const fresh = texts.map((text, index) => ({
    testId: testIds[index] ?? '',
    variant: text.slice(0, 100),
    suite: text,
    name: text,
    file: paths[index] ?? null,
    runId: projectId,
  }))
  const { id } = await createGateFor(app, {
    projectId,
    headSha: 'd'.repeat(40),
    baseSha: 'c'.repeat(40),
    base: '<script>',
    branch: 'feature/\u202Eevil',
    pullRequest: 7,
    state: 'failure',
    decidedAt: new Date(),
    reasons: texts.map((text) => ({
      rule: 'component',
      component: text.slice(0, 120),
      outcome: 'failed',
      text,
      fix: text,
    })),
    figures: {
      ...noFigures,
      unmeasured: paths,
      unmeasuredCount: 60,
      failures: { fresh, freshCount: 30, known: 1, muted: 1 },
      flaky: { fresh, freshCount: fresh.length },
      uploads: { names: texts.map((text) => text.slice(0, 120)), count: 3, isDone: false },
      matched: paths.map((path) => ({ path, reported: path })),
    },
    files: paths.map((path, index) => ({
      ...fileWithoutLines(path, 'measured'),
      uncoveredCount: 2,
      uncovered: [[1, 2]],
      symbol: texts[index] ?? null,
      cases: [{ line: 1, text: texts[index] ?? '' }],
      nearestTest: path,
    })),
  })
  return id
}
