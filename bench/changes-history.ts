/**
 * Verifies fix commits of public repositories and compares the verdicts with what their tests say when they run by hand.
 * Arguments: a folder with checkouts named `owner+name`, and names, commits, `seen` or `aside` to confine it to,
 * separated by commas.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Change } from '../core/changes/schema.ts'
import type { ChangedTest } from '../engines/verdicts/change/schema.ts'
import { told, verifyChange } from '../core/changes/ground-truth/verify-changes.ts'
import { type HistoricChange, history } from './changes/history.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'

const [folder = '.', only] = process.argv.slice(2)
const wanted = only?.split(',') ?? []
const names = wanted.filter((word) => word !== 'seen' && word !== 'aside')
const isWanted = ({ repository, commit, isAside }: HistoricChange) =>
  (names.length === 0 || names.some((word) => word === repository || commit.startsWith(word))) &&
  (names.length === wanted.length || wanted.includes(isAside ? 'aside' : 'seen'))
const checkoutOf = ({ repository }: HistoricChange) => resolve(folder, repository.replace('/', '+'))

await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const chosen = history.filter((one) => isWanted(one) && existsSync(checkoutOf(one)))
for (const one of history.filter((other) => isWanted(other) && !chosen.includes(other))) {
  console.log(`${one.repository}: no checkout in ${folder}`)
}
const { client, projectIds } = await startAssay(cleanUp, scratch, chosen.map(checkoutOf))

const rows: (string | number)[][] = []
const explained: string[] = []
for (const [index, one] of chosen.entries()) {
  const { repository, commit, subject, verdicts, failsWithout, settings } = one
  const projectId = projectIds[index] ?? ''
  if (settings) await client.projects.updateProjectSettings.mutate({ projectId, settings })
  const base = execFileSync('git', ['-C', checkoutOf(one), 'rev-parse', `${commit}~1`], { encoding: 'utf8' }).trim()
  const startedAt = performance.now()
  const change = await verifyChange(
    client,
    projectId,
    { known: { name: subject, edits: [], verdict: verdicts, expect: one.expect ?? 'change' }, base, head: commit },
    { repeats: 2, mutants: 10 },
  ).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  const name = `${repository} ${commit.slice(0, 7)}`
  if (typeof change === 'string') {
    console.log(`${name}: ${change}`)
    rows.push([name, verdicts.join(' or '), `**${change.slice(0, 100)}**`, '-', '-', '-', seconds])
    continue
  }
  const proving = (change.evidence?.tests ?? []).filter(isProving)
  const found = failsWithout.filter((part) => proving.some(({ test }) => test.includes(part)))
  const isRight = change.verdict !== null && verdicts.includes(change.verdict)
  rows.push([
    name,
    verdicts.join(' or '),
    isRight ? told(change) : `**${told(change)}**`,
    `${found.length} of ${failsWithout.length}${proving.length > found.length ? `, ${proving.length} in all` : ''}`,
    patchOf(change),
    mutantsOf(change),
    seconds,
  ])
  explained.push(`\n${name}: ${subject}\n${explain(change)}`)
  console.log(`${name}: ${told(change)}, ${seconds} s`)
}
console.log()
printTable(['commit', 'expected', 'got', 'fails without', 'patch', 'killed', 's'], rows)
console.log(explained.join('\n'))

function isProving({ transition, isOfChange, withoutChange }: ChangedTest): boolean {
  if (transition === 'fails_to_passes') return true
  const failsWithoutIt = withoutChange === 'fails' || withoutChange === 'not_built'
  return isOfChange !== null && failsWithoutIt && (transition === 'new_passing' || transition === 'passes_to_passes')
}

function patchOf({ evidence }: Change): string {
  const patch = evidence?.patch
  return patch ? `${patch.coveredLines} of ${patch.lines}` : '-'
}

function mutantsOf({ evidence }: Change): string {
  const mutation = evidence?.mutation
  return mutation ? `${mutation.killed + mutation.timedOut} of ${mutation.tried - mutation.invalid}` : '-'
}

function explain({ evidence, error }: Change): string {
  if (!evidence) return `${error?.code}: ${error?.message}`
  const { base, head, summary, missing, warnings, mutation, tests } = evidence
  const side = (one: typeof base) =>
    `${one.outcome}, ${one.totalTests} tests, ${one.failedTests} failed${one.problem ? `: ${one.problem}` : ''}`
  return [
    summary,
    ...missing.map((line) => `- ${line}`),
    `base: ${side(base)}; head: ${side(head)}`,
    ...tests.slice(0, 6).map((test) => `  ${test.transition} ${test.test} (without the change: ${test.withoutChange})`),
    ...(mutation?.survivors ?? []).slice(0, 5).map((survivor) => `  survived: ${JSON.stringify(survivor)}`),
    ...warnings.map((warning) => `! ${warning}`),
  ].join('\n')
}
