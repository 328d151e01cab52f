import type { TRPCClient } from '@trpc/client'
import type { DataSource } from 'typeorm'
import type { AppRouter } from '../../core/router.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import type { MeasuredFile } from '../../engines/coverage/carry-over.ts'
import { mergeMeasured, rowOfWholeRun } from '../../engines/coverage/measured.ts'
import { unlistedFiles } from '../../engines/coverage/unlisted.ts'
import { loadCommitCoverage } from '../../core/coverage/measured.ts'
import type { TruthRepository } from './repositories.ts'

/** What the product says of a repository, before and after its tests ran. */
export interface Told {
  estimated: AnalysisResult
  /** Undefined if the run measured nothing. */
  measured: AnalysisResult | undefined
  files: ReadonlyMap<string, MeasuredFile>
  run: string
}

/**
 * Analyzes a project, runs its tests with coverage, and waits until the analysis is ranked by it.
 *
 * @param paths - the files of the commit
 */
export async function askProduct(
  { client, dataSource }: { client: TRPCClient<AppRouter>; dataSource: DataSource },
  projectId: string,
  { commit, settings }: TruthRepository,
  paths: readonly string[],
): Promise<Told> {
  if (settings) await client.projects.updateProjectSettings.mutate({ projectId, settings })
  const { id } = await client.analysis.startAnalysis.mutate({ projectId, commitSha: commit })
  const estimated = await ended(client, id)
  const { commitSha } = estimated
  const started = await client.testRuns.trigger.mutate({ projectId, commitSha })
  let run = await client.testRuns.get.query({ runId: started.id, waitSeconds: 45 })
  while (run.status === 'PENDING' || run.status === 'RUNNING') {
    run = await client.testRuns.get.query({ runId: started.id, waitSeconds: 45 })
  }
  const { passedTests, failedTests, totalTests, coverage, error } = run
  const failed = failedTests > 0 ? `, ${failedTests} failed` : ''
  const said = `${run.reportedStatus} ${passedTests}/${totalTests}${failed}, coverage ${coverage ?? 'none'} ${error?.message.slice(0, 400) ?? ''}`
  if (coverage === null) return { estimated, measured: undefined, files: new Map(), run: said }
  const { files } = await loadCommitCoverage({ db: dataSource.manager }, projectId, commitSha)
  const measured = mergeMeasured(files)
  const isWhole = measured.delete(rowOfWholeRun[0])
  const ranked = await ended(client, id)
  // A file that tests load and the report does not list is left out by settings of the project: nothing is known of it.
  const isMeasured = new Set(
    ranked.testCandidates?.flatMap(({ path, coverageSource }) => (coverageSource === 'measured' ? [path] : [])),
  )
  const unlisted = isWhole ? [...unlistedFiles(measured, paths, { changed: new Map(), added: new Set() })] : []
  const notRun = unlisted.filter(([path]) => isMeasured.has(path))
  return { estimated, measured: ranked, files: new Map([...measured, ...notRun]), run: said }
}

/** The result of an analysis that has ended and takes all coverage into account. */
async function ended(client: TRPCClient<AppRouter>, analysisId: string): Promise<AnalysisResult> {
  for (;;) {
    const analysis = await client.analysis.getAnalysis.query({ analysisId, waitSeconds: 45, includeResult: true })
    if (analysis.status === 'failed') throw new Error(analysis.error?.message ?? 'The analysis failed.')
    if (analysis.status === 'completed' && analysis.ranking === 'current' && 'result' in analysis && analysis.result) {
      return analysis.result
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
