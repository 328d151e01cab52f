import type { Command } from 'commander'
import type { AnalysisResult, Finding, TestCandidate } from '../../engines/analysis/schema.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { type CompletedAnalysis, followAnalysis, followToEnd } from '../follow-analysis.ts'
import { addPageOptions, addProjectOption, type PageOptions, type ProjectOptions } from '../options.ts'
import { bold, dim, type Output } from '../output.ts'
import { resolveProject } from '../project.ts'
import { whereMeasured } from '../../client/coverage-words.ts'
import { describeScope } from '../../client/scope-words.ts'
import { caseLine, throughWords } from '../../client/suggestion-words.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { whileMeasuring } from '../follow-measurement.ts'
import { findIfKnown } from '../measured-checkout.ts'
import {
  addScopeOptions,
  resolveScopedTarget,
  type ScopedTarget,
  scopeOf,
  type ScopeOptions,
  targetWords,
} from '../scoped-target.ts'
import { counted, howToMeasure, pageLine } from '../words.ts'
import { analyzeCheckout } from '../working-tree.ts'

interface AnalyzeOptions extends PageOptions, ProjectOptions, ScopeOptions {
  detail?: boolean
  branch?: string
  commit?: string
  id?: string
}

export function addAnalyze(program: Command): void {
  const analyze = program
    .command('analyze')
    .description('find the code that is most worth testing')
    .argument('[target...]', targetWords)
    .option('--branch <branch>', 'branch to analyze (projects only)')
    .option('--commit <id>', 'full id of the commit to analyze (projects only)')
    .option('--id <analysis>', 'wait for an analysis that was started earlier')
    .option('--detail', 'show all untested cases of each candidate')
  addProjectOption(addPageOptions(addScopeOptions(analyze))).action(run)
}

async function run(given: string[], options: AnalyzeOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { branch, commit, id, project, measure = false } = options
  const named = [given[0], project, id].filter((one) => one !== undefined)
  if (named.length > 1) throw wrongUsage('Give only one of a target, --project and --id.')
  if (id !== undefined) {
    if (options.since !== undefined || options.symbol || measure) {
      throw wrongUsage('--id cannot be combined with --since, --symbol or --measure.')
    }
    return showStored(await followAnalysis(id, context), options, context)
  }

  const target = await targetOf(given, options, context)
  if ('repository' in target) {
    if ((branch ?? commit) !== undefined) {
      throw wrongUsage('--branch and --commit require a project. A checkout is analyzed as it is on disk.')
    }
    const { repository, scope } = target
    const { ancestor: measured, problem, planSettings } = await findIfKnown(repository, measure, context)
    warnOf(problem, context)
    const result = await analyzeCheckout(repository.root, context, { scope, measured, planSettings })
    return showLocal(repository.root, result, options, context)
  }
  const core = await context.core()
  const { id: projectId } = target.project
  const started = await core.analysis.startAnalysis.mutate({ projectId, branch, commitSha: commit })
  if (!target.scope && !measure) return showStored(await followAnalysis(started.id, context), options, context)
  const analysis = await followToEnd(started.id, context)
  const wanted = { projectId, commitSha: analysis.commitSha ?? undefined, measure, ...target.scope }
  const result = await whileMeasuring(context, (waitSeconds) =>
    core.analysis.analyzeRepository.mutate({ ...wanted, waitSeconds }),
  )
  warnOf(result.measurement?.problem, context)
  return showStored({ ...analysis, result }, options, context)
}

/** Says why the coverage is estimated, although the user asked to measure it. */
function warnOf(problem: string | null | undefined, { out }: Context): void {
  if (typeof problem === 'string') out.warn(inWordsOf('commands', problem))
}

async function targetOf(given: readonly string[], options: AnalyzeOptions, context: Context): Promise<ScopedTarget> {
  const { project } = options
  if (project === undefined) return resolveScopedTarget(given, options, context)
  return { project: await resolveProject(await context.core(), project, context), scope: scopeOf(options) }
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
  head: Record<string, unknown> & { url?: string },
  { summary, testCandidates = [], findings = [], moreFindings = 0, warnings = [], commitSha }: AnalysisResult,
  { limit, offset, detail = false, measure = false }: AnalyzeOptions,
  { out }: Context,
): void {
  const candidates = testCandidates.slice(offset, offset + limit)
  const noticed = { findings, ...(moreFindings > 0 && { moreFindings }) }
  out.answer({ ...head, candidates, ...noticed, pagination: { total: testCandidates.length, limit, offset } }, () => {
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
    if (summary.scope) out.line(describeScope(summary.scope))
    if (out.isTerminal) out.line(dim(whereMeasured(summary.coverage, measure ? undefined : howToMeasure)))
    writeCandidates(out, candidates, { offset, detail })
    out.pageEnd(candidates.length, { total: testCandidates.length, offset })
    writeFindings(out, findings, moreFindings)
    if (head.url !== undefined) {
      // It is no row of the list that a pipe gets.
      if (out.isTerminal) out.line(dim(pageLine(head.url)))
      else out.warn(pageLine(head.url))
    }
    if (testCandidates.length === 0)
      out.hint(`Assay ranks no function ${summary.scope ? 'in this scope' : 'of this repository'}.`)
    if (warnings.length > 0) out.hint(`${counted(warnings.length, 'warning')}. Use --json to see them.`)
    if (testCandidates.length > 0) out.hint('Next: run `assay suggest` to see which tests to write.')
  })
}

const maxFindings = 10

/** Says what the analysis noticed besides. It is no part of the list of candidates that a pipe gets. */
function writeFindings(out: Output, findings: readonly Finding[], moreFindings: number): void {
  const shown = findings.slice(0, maxFindings)
  for (const { path, line, message } of shown) out.warn(`Noticed: ${path}:${line} ${message}`)
  const more = findings.length - shown.length + moreFindings
  if (more > 0) out.warn(`${counted(more, 'more finding')}. Use --json to see the first 50.`)
}

const maxCases = 3

/** Prints candidates below each other: a terminal is too narrow for the reasons in a column. */
export function writeCandidates(
  out: Output,
  candidates: readonly TestCandidate[],
  { offset, detail }: { offset: number; detail: boolean },
): void {
  for (const [index, candidate] of candidates.entries()) {
    const { path, startLine, endLine, symbol, score, reasons, through, cases = [] } = candidate
    const [where, points, why] = [`${path}:${startLine}-${endLine}`, score.toPrecision(3), reasons.join('; ')]
    if (!out.isTerminal) {
      out.table([], [[where, symbol, points, why]])
      continue
    }
    const entry = throughWords(through, path)
    out.line(`${offset + index + 1}. `.padStart(5), bold(symbol), `${entry}  ${where}  `, dim(`score ${points}`))
    out.line(`     ${why}`)
    const shown = detail ? cases : cases.slice(0, maxCases)
    for (const one of shown) out.line(dim(`     ${caseLine(one)}`))
    const more = cases.length - shown.length + (candidate.moreCases ?? 0)
    const least = candidate.hasUncountedCases ? 'at least ' : ''
    if (more > 0) out.line(dim(`     and ${least}${counted(more, 'more case')}`))
  }
}
