/**
 * Verifies new tests, two of Vitest (one of them weak) and one of pytest, in projects of 300 tests, with 5 repeats and 20 mutants, from the
 * call until the caller has the verdict. Compares it with the same commands, one after the other in a shell in a checkout
 * with installed dependencies: the baseline with coverage, the test alone, all tests with it, and the test against each
 * mutant. Vitest comes from the npm registry; pytest must be installed on the machine.
 */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { PlanPart, Step } from '../engines/test-plan/plan.ts'
import { testRunner } from '../engines/processes/testing/runner.ts'
import { findMutants } from '../engines/mutation/find-mutants.ts'
import { applyMutant, type Mutant } from '../engines/mutation/mutant.ts'
import { sampleMutants } from '../engines/mutation/sample-mutants.ts'
import { aloneStep, suiteStep } from '../core/workspaces/runner/steps.ts'
import type { Verification } from '../core/verifications/schema.ts'
import type { Evidence } from '../engines/verdicts/schema.ts'
import { checkOutForShell, type ShellCheckout } from './run/in-shell.ts'
import { type BenchProject, makePytestProject, makeVitestProject } from './run/projects.ts'
import { median, recordFigure } from './report.ts'
import { openScratch } from './scratch.ts'
import { installOnce, printComparison, type Round } from './verify/compare.ts'
import { type NewTest, pytestTest, vitestTest, weakTest } from './verify/new-tests.ts'
import { phasesOf, recordPhases } from './verify/phases.ts'
import { startAssay } from './verify/start.ts'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const repeats = 5
const mutants = 20
const only = process.env['ONLY']?.split(',')

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const { directory, postgres } = scratch
const filesOf = ({ source }: NewTest) => ({ [source.path]: source.text })
const devDependencies = { '@vitest/coverage-v8': '5.1.0' }
const made: { project: BenchProject | undefined; newTest: NewTest }[] = []
for (const [name, newTest] of Object.entries({ vitest: vitestTest, weak: weakTest })) {
  if (!(only?.includes(name) ?? true)) continue
  const project = await makeVitestProject(join(directory, name), { files: filesOf(newTest), devDependencies })
  made.push({ project, newTest })
}
if (only?.includes('pytest') ?? true) {
  const project = await makePytestProject(join(directory, 'pytest'), { files: filesOf(pytestTest) })
  if (!project) console.log('pytest is not installed for python3 and is skipped.\n')
  made.push({ project, newTest: pytestTest })
}
const subjects = made.flatMap(({ project, newTest }) => (project ? [{ project, newTest }] : []))
const database = new Client({ connectionString: postgres.url })
await database.connect()
cleanUp.defer(() => database.end())
const { client, projectIds } = await startAssay(
  cleanUp,
  scratch,
  subjects.map(({ project }) => project.repository),
)
await recordPhases(database, 'verifications')

for (const [index, { project, newTest }] of subjects.entries()) await measure(project, newTest, projectIds[index] ?? '')

async function measure({ name, repository }: BenchProject, newTest: NewTest, projectId: string): Promise<void> {
  const part = await installOnce(client, database, projectId)
  const shell = await checkOutForShell(repository, join(directory, `shell-${projectId}`), part)
  const { evidence } = (await verifyOnce(projectId, newTest)).verification
  const chosen = await mutantsOf(newTest, evidence)
  const commands = commandsOf(part, newTest, evidence)
  await shell.test()

  const measured: Round[] = []
  const verdicts: { provisionalMs: number; ms: number; repeatsMs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const inShell = await runCommands(shell, newTest, commands, chosen)
    await changeSomethingElse(repository, round)
    const { verification, ms, provisionalMs, startedAt, endedAt } = await verifyOnce(projectId, newTest)
    if (verification.evidence?.baseline?.cached !== false) throw new Error('the baseline was not run')
    const phases = await phasesOf(database, verification.id, { startedAt, endedAt })
    measured.push({ assay: ms, phases, shell: inShell })
    verdicts.push({ provisionalMs, ms, repeatsMs: (inShell['alone'] ?? 0) + (inShell['suite'] ?? 0) })
  }

  const { runs, mutation } = evidence
  const count = (kind: string) => runs.filter((run) => run.kind === kind).length
  console.log(
    `\n${name}, ${newTest.verdict}: ${evidence.reason}; ${count('alone')} runs alone, ${count('suite')} with all tests, ${mutation?.tried} mutants of which ${mutation?.survived} survived\n`,
  )
  const inOrder = 'its commands in a shell, one after the other'
  const ratios = printComparison(measured, { what: 'verification', commands: inOrder, goal: 1.1 })
  if (newTest === vitestTest) recordFigure('verifyVitest', ratios)
  const provisional = median(verdicts.map(({ provisionalMs }) => provisionalMs / 1_000))
  const share = median(verdicts.map(({ ms, repeatsMs }) => ms / repeatsMs))
  // A test that depends on nothing is repeated less often than asked.
  const ofAsked = share * (commands.alone.length / repeats)
  console.log(
    `\nA provisional verdict after ${provisional.toFixed(1)} s (goal: 30), the final one after ${share.toFixed(2)} times the bare repeats that it ran, ${ofAsked.toFixed(2)} times all ${repeats} that were asked for (goal: 2).`,
  )
}

async function verifyOnce(projectId: string, { test, verdict }: NewTest) {
  const startedAt = Date.now()
  const given = { projectId, filePath: test.path, code: test.code, repeats, mutants }
  const { id: verificationId } = await client.tests.verify.mutate(given)
  let provisionalMs: number | null = null
  for (;;) {
    const verification = await client.tests.getVerification.query({ verificationId })
    const endedAt = Date.now()
    if (verification.verdict !== null) provisionalMs ??= endedAt - startedAt
    if (verification.completedAt !== null) {
      const ms = endedAt - startedAt
      return {
        verification: expected(verification, verdict),
        ms,
        provisionalMs: provisionalMs ?? ms,
        startedAt,
        endedAt,
      }
    }
    await delay(100)
  }
}

function expected(verification: Verification, wanted: NewTest['verdict']): Verification & { evidence: Evidence } {
  const { verdict, evidence, error } = verification
  if (verdict !== wanted || !evidence) throw new Error(`${verdict}: ${evidence?.summary ?? error?.message}`)
  return { ...verification, evidence }
}

/** Without a new commit, the baseline would be cached. */
async function changeSomethingElse(repository: string, round: number): Promise<void> {
  await writeFile(join(repository, 'README.md'), `Round ${round}\n`)
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: repository })
  await git('add', '--all')
  await git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--message', 'Change')
}

interface Commands {
  baseline: Step
  alone: Step[]
  suite: Step[]
  mutant: Step
}

/** Repeats the commands of the verification with the same seeds. */
function commandsOf(part: PlanPart, { test }: NewTest, { runs }: Evidence): Commands {
  const alone = (how: { coverage: boolean; seed: string | null }) => {
    const confined = aloneStep(part, test, how)
    if ('unsupported' in confined) throw new Error(confined.unsupported)
    return confined.step
  }
  const seedsOf = (kind: string) => runs.filter((run) => run.kind === kind).map(({ seed }) => seed)
  return {
    baseline: suiteStep(part, { coverage: true }),
    alone: seedsOf('alone').map((seed, index) => alone({ coverage: index === 0, seed })),
    suite: seedsOf('suite').map((seed, index) => suiteStep(part, { coverage: index === 0, seed })),
    mutant: alone({ coverage: false, seed: null }),
  }
}

async function mutantsOf({ source }: NewTest, { mutation }: Evidence): Promise<Mutant[]> {
  const found = await findMutants(testRunner, {
    path: source.path,
    source: source.text,
    lines: [[1, source.text.split('\n').length]],
  })
  const chosen = sampleMutants(found, mutants, mutation?.seed ?? '')
  if (chosen.length !== mutation?.tried) throw new Error(`${chosen.length} mutants, not ${mutation?.tried}`)
  return chosen
}

/** Returns the milliseconds of each kind of command. */
async function runCommands(
  shell: ShellCheckout,
  { source, test }: NewTest,
  commands: Commands,
  chosen: readonly Mutant[],
): Promise<Record<string, number>> {
  const place = (path: string) => join(shell.root, path)
  const mustPass = async (step: Step) => {
    const { ms, exitCode } = await shell.run(step)
    if (exitCode !== 0) throw new Error(`${step.command} ended with ${exitCode}`)
    return ms
  }
  const sums: Record<string, number> = { baseline: await mustPass(commands.baseline), alone: 0, suite: 0, mutants: 0 }
  await writeFile(place(test.path), test.code)
  for (const step of commands.alone) sums['alone'] = (sums['alone'] ?? 0) + (await mustPass(step))
  for (const step of commands.suite) sums['suite'] = (sums['suite'] ?? 0) + (await mustPass(step))
  for (const mutant of chosen) {
    await writeFile(place(source.path), applyMutant(source.text, mutant))
    sums['mutants'] = (sums['mutants'] ?? 0) + (await shell.run(commands.mutant)).ms
  }
  await writeFile(place(source.path), source.text)
  await rm(place(test.path))
  return sums
}
