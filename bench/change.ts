/**
 * Verifies one change in a project of 300 tests, with 3 repeats and 20 mutants, from the call until the caller has the
 * final verdict. Compares it with the same commands, one after the other in a shell in checkouts with installed
 * dependencies: all tests of the base, all tests of the head with coverage, the tests of the change on the code of the
 * base, the repeats and the mutants. Vitest comes from the npm registry; pytest must be installed on the machine.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { Change } from '../core/changes/schema.ts'
import { selectedStep, suiteStep } from '../core/workspaces/runner/steps.ts'
import { applyMutant, type Mutant } from '../engines/mutation/mutant.ts'
import { findMutants } from '../engines/mutation/find-mutants.ts'
import { sampleMutants } from '../engines/mutation/sample-mutants.ts'
import { testRunner } from '../engines/processes/testing/runner.ts'
import type { PlanPart, RunPlan } from '../engines/test-plan/plan.ts'
import type { ChangeEvidence } from '../engines/verdicts/change/schema.ts'
import { runTimes, withFileOf } from './changes/in-shell.ts'
import { phasesOf, recordPhases } from './changes/phases.ts'
import { median, printTable } from './report.ts'
import { checkOutForShell, type ShellCheckout } from './run/in-shell.ts'
import { makePytestProject, makeVitestProject } from './run/projects.ts'
import { openScratch } from './scratch.ts'
import { type NewTest, pytestTest, vitestTest } from './verify/new-tests.ts'
import { startAssay } from './verify/start.ts'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const repeats = 3
const mutants = 20
const only = process.env['ONLY']?.split(',')

interface Subject {
  name: string
  repository: string
  base: string
  head: string
  change: NewTest
}

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const { directory, postgres } = scratch
const subjects: Subject[] = []
if (only?.includes('vitest') ?? true) {
  const files = { [vitestTest.source.path]: emptyFunctions(vitestTest.source.text) }
  const devDependencies = { '@vitest/coverage-v8': '5.1.0' }
  const project = await makeVitestProject(join(directory, 'vitest'), { files, devDependencies })
  subjects.push(await withChange(project, vitestTest))
}
if (only?.includes('pytest') ?? true) {
  const files = { [pytestTest.source.path]: emptyFunctions(pytestTest.source.text) }
  const project = await makePytestProject(join(directory, 'pytest'), { files })
  if (project) subjects.push(await withChange(project, pytestTest))
  else console.log('pytest is not installed for python3 and is skipped.\n')
}
const database = new Client({ connectionString: postgres.url })
await database.connect()
cleanUp.defer(() => database.end())
const { client, projectIds } = await startAssay(
  cleanUp,
  scratch,
  subjects.map(({ repository }) => repository),
)
await recordPhases(database)
for (const [index, subject] of subjects.entries()) await measure(subject, projectIds[index] ?? '')

async function measure(subject: Subject, projectId: string): Promise<void> {
  const part = await installOnce(projectId)
  const head = await checkOutForShell(subject.repository, join(directory, `head-${projectId}`), part)
  const base = await checkOutForShell(subject.repository, join(directory, `base-${projectId}`), part)
  await promisify(execFile)('git', ['checkout', '--quiet', subject.base], { cwd: base.root })
  const first = await verify(subject, projectId)
  const chosen = await mutantsOf(subject, first.evidence)
  await head.test()

  const figures = { assay: [] as number[], shell: [] as number[] }
  const inShell: Record<string, number>[] = []
  const phases: Map<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const sums = await runCommands({ base, head }, subject, { part, chosen, coverage: first.evidence.patch !== null })
    inShell.push(sums)
    figures.shell.push(Object.values(sums).reduce((sum, ms) => sum + ms, 0))
    const { change, evidence, ms, startedAt, endedAt } = await verify(subject, projectId)
    if (evidence.base.cached || evidence.head.cached) throw new Error('a side was not run')
    figures.assay.push(ms)
    phases.push(await phasesOf(database, change.id, { startedAt, endedAt }))
  }

  const { reason, mutation } = first.evidence
  const measured = first.evidence.patch === null ? 'without coverage' : 'with coverage of the head'
  console.log(
    `\n${subject.name}: ${reason}, ${measured}; ${mutation?.tried} mutants of which ${mutation?.survived} survived\n`,
  )
  printTable(
    ['', 's', 'min to max'],
    [
      ['verification of the change', seconds(median(figures.assay)), range(figures.assay)],
      ['its commands in a shell, one after the other', seconds(median(figures.shell)), range(figures.shell)],
    ],
  )
  const ratios = figures.assay.map((ms, round) => ms / (figures.shell[round] ?? Number.NaN))
  console.log(`\n${median(ratios).toFixed(2)} times the shell (goal: at most 1.15).\n`)
  printTable(
    ['of the shell', 's'],
    Object.keys(inShell[0] ?? {}).map((what) => [what, seconds(median(inShell.map((sums) => sums[what] ?? 0)))]),
  )
  console.log()
  printTable(
    ['of a verification', 's'],
    [...new Set(phases.flatMap((round) => [...round.keys()]))].map((phase) => [
      phase,
      seconds(median(phases.flatMap((round) => round.get(phase) ?? []))),
    ]),
  )
}

/** Returns the milliseconds of each kind of command. */
async function runCommands(
  { base, head }: { base: ShellCheckout; head: ShellCheckout },
  { change: { source, test } }: Subject,
  { part, chosen, coverage }: { part: PlanPart; chosen: readonly Mutant[]; coverage: boolean },
): Promise<Record<string, number>> {
  const selected = selectedStep(part, { files: [test], cases: [] }, { coverage: false })
  if ('unsupported' in selected) throw new Error(selected.unsupported)
  const place = join(head.root, source.path)
  const sums: Record<string, number> = {
    'all tests of the base': await runTimes(base, suiteStep(part, { coverage: false }), 1),
    'all tests of the head': await runTimes(head, suiteStep(part, { coverage }), 1),
    'tests of the change on the base': await withFileOf({ from: head, to: base }, test.path, () =>
      runTimes(base, selected.step, repeats),
    ),
    'tests of the change again': await runTimes(head, selected.step, repeats - 1),
  }
  let ofMutants = 0
  for (const mutant of chosen) {
    await writeFile(place, applyMutant(source.text, mutant))
    ofMutants += await runTimes(head, selected.step, 1)
  }
  await writeFile(place, source.text)
  return { ...sums, mutants: ofMutants }
}

async function verify({ base, head }: Subject, projectId: string) {
  const startedAt = Date.now()
  const { id: changeId } = await client.changes.verify.mutate({ projectId, base, head, repeats, mutants, again: true })
  const wait = () => client.changes.get.query({ changeId, waitSeconds: 45, final: true })
  let change: Change = await wait()
  while (change.completedAt === null) change = await wait()
  const endedAt = Date.now()
  const { verdict, evidence, error } = change
  if (verdict !== 'proved' || !evidence) throw new Error(`${verdict}: ${evidence?.summary ?? error?.message}`)
  return { change, evidence, ms: endedAt - startedAt, startedAt, endedAt }
}

async function mutantsOf({ change: { source } }: Subject, { mutation }: ChangeEvidence): Promise<Mutant[]> {
  const found = await findMutants(testRunner, {
    path: source.path,
    source: source.text,
    lines: [[1, source.text.split('\n').length]],
  })
  return sampleMutants(found, mutation?.tried ?? 0, mutation?.seed ?? '')
}

/** Triggers a run, so that its install is cached and its plan is known. */
async function installOnce(projectId: string): Promise<PlanPart> {
  const { id: runId } = await client.testRuns.trigger.mutate({ projectId })
  let run = await client.testRuns.get.query({ runId, waitSeconds: 45 })
  while (run.completedAt === null) run = await client.testRuns.get.query({ runId, waitSeconds: 45 })
  if (run.reportedStatus !== 'PASSED') throw new Error(`the project's own tests: ${run.error?.message}`)
  const { rows } = await database.query<{ recipe: RunPlan }>('SELECT recipe FROM test_runs WHERE id = $1', [runId])
  const [part] = rows[0]?.recipe.parts ?? []
  if (!part) throw new Error('the run has no plan')
  return part
}

/** Commits the change; its test fails on the base, whose functions do nothing. */
async function withChange(
  { name, repository }: { name: string; repository: string },
  change: NewTest,
): Promise<Subject> {
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: repository })
  const base = (await git('rev-parse', 'HEAD')).stdout.trim()
  await writeFile(join(repository, change.source.path), change.source.text)
  await writeFile(join(repository, change.test.path), change.test.code)
  await git('add', '--all')
  await git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--message', 'Change')
  const head = (await git('rev-parse', 'HEAD')).stdout.trim()
  return { name, repository, base, head, change }
}

/** Replaces the bodies of functions of TypeScript or Python. */
function emptyFunctions(text: string): string {
  return text
    .replace(/^(export function .* \{)\n[\s\S]*?^\}/gm, '$1\n  return 0\n}')
    .replace(/^(def .*:)\n(?:    .*\n|\n(?=    ))*/gm, '$1\n    return 0\n')
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(2)
}

function range(milliseconds: readonly number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}
