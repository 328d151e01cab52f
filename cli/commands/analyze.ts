import type { Command } from 'commander'
import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { type CompletedAnalysis, followAnalysis } from '../follow-analysis.ts'
import { addPageOptions, addProjectOption, type PageOptions, type ProjectOptions } from '../options.ts'
import { bold, dim, type Output } from '../output.ts'
import { resolveProject, resolveTarget } from '../project.ts'
import { counted } from '../words.ts'
import { analyzeCheckout } from '../working-tree.ts'

interface AnalyzeOptions extends PageOptions, ProjectOptions {
  branch?: string
  commit?: string
  id?: string
}

export function addAnalyze(program: Command): void {
  const analyze = program
    .command('analyze')
    .description('find the code that is most worth testing')
    .argument(
      '[target]',
      'checkout to analyze on this machine, with uncommitted changes (default: current checkout), or a project',
    )
    .option('--branch <branch>', 'branch to analyze (projects only)')
    .option('--commit <id>', 'full id of the commit to analyze (projects only)')
    .option('--id <analysis>', 'wait for an analysis that was started earlier')
  addProjectOption(addPageOptions(analyze)).action(run)
}

async function run(given: string | undefined, options: AnalyzeOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { branch, commit, id } = options
  const named = [given, options.project, id].filter((one) => one !== undefined)
  if (named.length > 1) throw wrongUsage('Give only one of a target, --project and --id.')
  if (id !== undefined) return showStored(await followAnalysis(id, context), options, context)

  const target = await projectFrom(given, options, context)
  if ('repository' in target) {
    if ((branch ?? commit) !== undefined) {
      throw wrongUsage('--branch and --commit require a project. A checkout is analyzed as it is on disk.')
    }
    const { root } = target.repository
    return showLocal(root, await analyzeCheckout(root, context), options, context)
  }
  const core = await context.core()
  const { id: projectId } = target.project
  const started = await core.analysis.startAnalysis.mutate({ projectId, branch, commitSha: commit })
  return showStored(await followAnalysis(started.id, context), options, context)
}

async function projectFrom(given: string | undefined, { project }: ProjectOptions, context: Context) {
  return project === undefined
    ? resolveTarget(given, context)
    : { project: await resolveProject(await context.core(), project, context) }
}

function showStored({ result, ...analysis }: CompletedAnalysis, options: AnalyzeOptions, context: Context): void {
  show({ ...analysis, summary: result.summary, warnings: result.warnings ?? [] }, result, options, context)
}

function showLocal(path: string, result: AnalysisResult, options: AnalyzeOptions, context: Context): void {
  const { commitSha, branch = null, summary, warnings = [] } = result
  const head = { path, commitSha: /^0+$/.test(commitSha) ? null : commitSha, branch, summary, warnings }
  show(head, result, options, context)
}

function show(
  head: Record<string, unknown>,
  { summary, testCandidates = [], warnings = [], commitSha }: AnalysisResult,
  { limit, offset }: PageOptions,
  { out }: Context,
): void {
  const candidates = testCandidates.slice(offset, offset + limit)
  out.answer({ ...head, candidates, pagination: { total: testCandidates.length, limit, offset } }, () => {
    if (out.isTerminal) {
      const languages = Object.entries(summary.languages)
        .toSorted((a, b) => b[1] - a[1])
        .slice(0, 6)
        .map(([language, count]) => `${language} ${count}`)
      out.line(
        bold(counted(summary.totalFiles, 'file')),
        ` (${languages.join(', ')}), commit ${commitSha.slice(0, 12)}`,
      )
      for (const { directory, framework, command } of summary.testing?.slice(0, 5) ?? []) {
        out.line(dim(`Tests: ${framework}, \`${command}\`${directory === '' ? '' : ` in ${directory}`}`))
      }
    }
    writeCandidates(out, candidates, offset)
    out.pageEnd(candidates.length, { total: testCandidates.length, offset })
    if (testCandidates.length === 0) out.hint('No code here needs a test.')
    if (warnings.length > 0) out.hint(`${counted(warnings.length, 'warning')}. Use --json to see them.`)
    if (testCandidates.length > 0) out.hint('Next: run `assay suggest` to see which tests to write.')
  })
}

/** Prints candidates below each other: a terminal is too narrow for the reasons in a column. */
export function writeCandidates(out: Output, candidates: readonly TestCandidate[], offset: number): void {
  for (const [index, { path, startLine, endLine, symbol, score, reasons }] of candidates.entries()) {
    const [where, points, why] = [`${path}:${startLine}-${endLine}`, score.toPrecision(3), reasons.join('; ')]
    if (out.isTerminal) {
      out.line(`${offset + index + 1}. `.padStart(5), bold(symbol), `  ${where}  `, dim(`score ${points}`))
      out.line(`     ${why}`)
    } else out.table([], [[where, symbol, points, why]])
  }
}
