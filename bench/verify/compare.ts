import { loadavg } from 'node:os'
import type { Client } from 'pg'
import type { PlanPart, RunPlan } from '../../engines/test-plan/plan.ts'
import { median, printTable } from '../report.ts'
import type { startAssay } from './start.ts'

type AssayClient = Awaited<ReturnType<typeof startAssay>>['client']

/** Triggers a run, so that its install is cached and its plan is known. */
export async function installOnce(client: AssayClient, database: Client, projectId: string): Promise<PlanPart> {
  const { id: runId } = await client.testRuns.trigger.mutate({ projectId })
  let run = await client.testRuns.get.query({ runId, waitSeconds: 45 })
  while (run.completedAt === null) run = await client.testRuns.get.query({ runId, waitSeconds: 45 })
  if (run.reportedStatus !== 'PASSED') throw new Error(`the project's own tests: ${run.error?.message}`)
  const { rows } = await database.query<{ recipe: RunPlan }>('SELECT recipe FROM test_runs WHERE id = $1', [runId])
  const [part] = rows[0]?.recipe.parts ?? []
  if (!part) throw new Error('the run has no plan')
  return part
}

/** One round: a verification, and its commands in a shell. All times are in milliseconds. */
export interface Round {
  assay: number
  phases: ReadonlyMap<string, number>
  shell: Readonly<Record<string, number>>
}

/** Prints the times of all rounds, and returns the ratio of each round to the shell. */
export function printComparison(
  rounds: readonly Round[],
  { what, commands, goal }: { what: string; commands: string; goal: number },
): number[] {
  const shell = rounds.map((round) => Object.values(round.shell).reduce((sum, ms) => sum + ms, 0))
  const assay = rounds.map((round) => round.assay)
  printTable(
    ['', 's', 'min to max'],
    [
      [what, seconds(median(assay)), range(assay)],
      [commands, seconds(median(shell)), range(shell)],
    ],
  )
  const ratios = assay.map((ms, index) => ms / (shell[index] ?? Number.NaN))
  const load = loadavg()[0] ?? Number.NaN
  console.log(
    `\n${median(ratios).toFixed(2)} times the shell (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; goal: at most ${goal}). The load is ${load.toFixed(1)}.\n`,
  )
  const rowsOf = (of: (round: Round) => Iterable<[string, number]>) =>
    [
      ...Map.groupBy(
        rounds.flatMap((round) => [...of(round)]),
        ([name]) => name,
      ),
    ].map(([name, times]) => [name, seconds(median(times.map(([, ms]) => ms)))])
  printTable(
    ['of the shell', 's'],
    rowsOf((round) => Object.entries(round.shell)),
  )
  console.log()
  printTable(
    ['of a verification', 's'],
    rowsOf(({ phases }) => phases),
  )
  return ratios
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(2)
}

function range(milliseconds: readonly number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}
