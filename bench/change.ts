/**
 * Verifies one change in a project of 300 tests, with 3 repeats and 20 mutants, from the call until the caller has the
 * final verdict. Compares it with the same runs in a shell, in checkouts with installed dependencies and as many at once:
 * all tests of the head with coverage, all tests of the base, the tests of the change on the code of the base, both
 * again, and each mutant against the tests of the change, and against the others if it survives. Vitest comes from the
 * npm registry; pytest must be installed on the machine.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { Change } from '../core/changes/schema.ts'
import type { Mutant } from '../engines/mutation/mutant.ts'
import { findMutants } from '../engines/mutation/find-mutants.ts'
import { sampleMutants } from '../engines/mutation/sample-mutants.ts'
import { testRunner } from '../engines/processes/testing/runner.ts'
import type { ChangeEvidence } from '../engines/verdicts/change/schema.ts'
import { type Lane, runInShell } from './changes/in-shell.ts'
import { checkOutForShell } from './run/in-shell.ts'
import { makeNodeTestProject, makePytestProject, makeVitestProject } from './run/projects.ts'
import { openScratch } from './scratch.ts'
import { installOnce, printComparison, type Round } from './verify/compare.ts'
import { type NewTest, nodeTest, pytestTest, vitestTest } from './verify/new-tests.ts'
import { phasesOf, recordPhases } from './verify/phases.ts'
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
if (only?.includes('node:test') ?? true) {
  const files = { [nodeTest.source.path]: emptyFunctions(nodeTest.source.text) }
  subjects.push(await withChange(await makeNodeTestProject(join(directory, 'node-test'), { files }), nodeTest))
}
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
await recordPhases(database, 'changes')
for (const [index, subject] of subjects.entries()) await measure(subject, projectIds[index] ?? '')

async function measure(subject: Subject, projectId: string): Promise<void> {
  const part = await installOnce(client, database, projectId)
  const lanes: Lane[] = []
  for (let lane = 0; lane < availableParallelism(); lane++) {
    const head = await checkOutForShell(subject.repository, join(directory, `head-${lane}-${projectId}`), part)
    const base = await checkOutForShell(subject.repository, join(directory, `base-${lane}-${projectId}`), part)
    await promisify(execFile)('git', ['checkout', '--quiet', subject.base], { cwd: base.root })
    await head.test()
    lanes.push({ base, head })
  }
  const { evidence } = await verify(subject, projectId)
  const coverage = evidence.patch !== null
  const runs = { part, change: subject.change, repeats, mutants: await mutantsOf(subject, evidence), coverage }

  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const { times, survived } = await runInShell(lanes, runs)
    const { change, ms, startedAt, endedAt } = await verify(subject, projectId)
    if (change.evidence?.base.cached || change.evidence?.head.cached) throw new Error('a side was not run')
    if (survived !== change.evidence?.mutation?.survived) throw new Error(`${survived} mutants survived in the shell`)
    measured.push({ assay: ms, phases: await phasesOf(database, change.id, { startedAt, endedAt }), shell: times })
  }

  const { tried, survived } = evidence.mutation ?? { tried: 0, survived: 0 }
  const how = coverage ? 'with coverage of the head' : 'without coverage'
  console.log(`\n${subject.name}, ${how}: ${tried} mutants of which ${survived} survived, ${lanes.length} at once\n`)
  const commands = 'its commands in a shell'
  printComparison(measured, { what: 'verification of the change', commands, goal: 1.15 })
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
