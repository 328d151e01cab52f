import { join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { describeLocalRepository } from '../../client/local-repository.ts'
import { addressesOf } from '../../client/find-project.ts'
import { isSameRepository } from '../../client/repository-key.ts'
import { resolveSince } from '../../client/committed-checkout.ts'
import { describeScope } from '../../client/scope-words.ts'
import { suggestionWords, testingLine } from '../../client/suggestion-words.ts'
import { whereMeasured } from '../../client/coverage-words.ts'
import { suggestionsOf } from '../../client/local-suggestions.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import type { Suggestion } from '../../core/ai/schema.ts'
import type { Project } from '../../core/projects/schema.ts'
import type { AnalysisScope, RankingCoverage, ResolvedScope } from '../../engines/analysis/schema.ts'
import type { TestingPart } from '../../engines/test-plan/schema.ts'
import { commitsSince } from '../checkout.ts'
import { addCommittedOptions, type CommittedOptions, type CommittedState, committedState } from '../committed.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { afterFirstAnalysis, latestAnalysis } from '../follow-analysis.ts'
import { whileMeasuring } from '../follow-measurement.ts'
import { measureCheckout, requireScopes } from '../measured-checkout.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { bold, cyan, dim } from '../output.ts'
import { howToAdd, noProjectFor, projectForCheckout, quoted, resolveProject } from '../project.ts'
import {
  addScopeOptions,
  resolveScopedTarget,
  type ScopedTarget,
  scopeOf,
  type ScopeOptions,
  targetWords,
} from '../scoped-target.ts'
import { addIncludeOption, type IncludeOptions, sendCheckout, sentFacts, stateOf } from '../snapshot.ts'
import { ago, counted, howToMeasure, pageLine } from '../words.ts'
import { analyzeCheckout } from '../working-tree.ts'

interface SuggestOptions extends ProjectOptions, ScopeOptions, IncludeOptions, CommittedOptions {
  max: number
  code?: boolean
  detail?: boolean
}

export function addSuggest(program: Command): void {
  const suggest = program
    .command('suggest')
    .description('suggest tests to write, for a checkout as it is on disk')
    .argument('[target...]', targetWords)
    .addOption(new Option('--max <count>', 'maximum number of suggestions').argParser(wholeNumber(1, 50)).default(10))
    .option('--code', 'include an example of each test')
    .option('--detail', 'include examples and everything that is known')
  addIncludeOption(addCommittedOptions(addProjectOption(addScopeOptions(suggest)))).action(run)
}

async function run(given: string[], options: SuggestOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { project: named, max: maxSuggestions, code = false, detail = false, measure = false, include } = options
  const target: ScopedTarget =
    given.length === 0 && named !== undefined
      ? { project: await resolveProject(await core(), named, context), scope: scopeOf(options) }
      : await resolveScopedTarget(given, options, context)
  const client = await core()
  const suggest = (
    projectId: string,
    scope: AnalysisScope | undefined,
    state: CommittedState & { snapshotId?: string } = {},
  ) =>
    whileMeasuring(context, (waitSeconds) =>
      afterFirstAnalysis(context, () =>
        client.analysis.suggestTests.mutate({
          projectId,
          maxSuggestions,
          waitSeconds,
          // The coverage of a snapshot is that of its commit.
          ...(state.snapshotId === undefined && { measure }),
          ...state,
          ...scope,
        }),
      ),
    )
  if ('project' in target) {
    if (given.length > 0 && named !== undefined)
      throw wrongUsage('Give the project either as the target or as --project, not both.')
    if (include) throw wrongUsage('--include requires a checkout.')
    const { id: projectId } = target.project
    out.progress('Suggesting tests')
    const result = await suggest(projectId, target.scope, await committedState(options, '.', context))
    const analysis = await latestAnalysis(client, projectId)
    const analyzedAt = analysis?.commitSha === result.commitSha ? analysis.completedAt : null
    const behind = await commitsBehind(target.project, result.commitSha, context.cwd)
    const how = { code, detail, measure, isHere: false }
    return show({ projectId, path: null, analyzedAt, behind, ...result }, how, context)
  }
  const { repository, scope } = target
  const { root } = repository
  const committed = await committedState(options, root, context)
  if (include && committed) throw wrongUsage('--include cannot be combined with --head, --branch or --commit.')
  // A missing project or scope is reported before the analysis, which may take long.
  await requireScopes(client, measure ? ['analysis:run', 'tests:run'] : ['analysis:run'])
  const project =
    named === undefined
      ? await projectForCheckout(client, repository, context)
      : await resolveProject(client, named, context)
  if (!project) {
    if (measure || committed) throw noProjectFor(repository)
    const result = suggestionsOf(await analyzeCheckout(root, context, { scope }), maxSuggestions)
    out.warn(`No project has this checkout, so nothing is stored or measured. ${howToAdd(repository)}`)
    return show({ projectId: null, path: root, ...result }, { code, detail, measure, isHere: false }, context)
  }
  const { id: projectId } = project
  const isHere = named === undefined && (await isInside(root, context.cwd))
  const shown = { code, detail, measure, isHere }
  const range = await resolveSince(root, scope)
  const inWordsOfUser = (resolved: ResolvedScope | undefined) =>
    resolved && { scope: { ...resolved, ...(scope?.since !== undefined && { since: scope.since }) } }
  const sent = committed ? undefined : await sendCheckout(client, { projectId, root, include }, context)
  const problem = measure && sent?.snapshot ? await measureCheckout(client, { projectId, root }, context) : null
  out.progress('Suggesting tests')
  const result = await suggest(projectId, range, sent ? stateOf(sent) : committed)
  const warnings = [...(problem === null ? [] : [problem]), ...(result.warnings ?? [])]
  const all = { projectId, path: root, ...result, ...inWordsOfUser(result.scope), warnings, ...sentFacts(sent) }
  return show(all, shown, context)
}

async function isInside(root: string, cwd: string): Promise<boolean> {
  const here = await describeLocalRepository(cwd).catch(() => undefined)
  return here?.root === root
}

/** Returns how many commits the current checkout is ahead; null where it is not a checkout of the project. */
async function commitsBehind(project: Project, commitSha: string, cwd: string): Promise<number | null> {
  const repository = await describeLocalRepository(cwd).catch(() => undefined)
  if (!repository) return null
  if (!addressesOf(repository).some((address) => isSameRepository(project.repository, address))) return null
  return (await commitsSince(repository.root, commitSha)) ?? null
}

interface Suggested {
  /** Null if no project has the checkout. */
  projectId: string | null
  /** The checkout that was analyzed; null for the project's own analysis. */
  path: string | null
  analyzedAt?: string | null
  behind?: number | null
  commitSha: string
  /** The page of the suggestions; absent if they are not stored. */
  url?: string | undefined
  summary: string
  suggestions: Suggestion[]
  scope?: ResolvedScope | undefined
  testing?: TestingPart[] | undefined
  coverage?: RankingCoverage | null | undefined
  warnings?: string[] | undefined
}

interface Shown {
  code: boolean
  detail: boolean
  /** Whether the command has tried to measure the coverage. */
  measure: boolean
  /** The project belongs to the current checkout. */
  isHere: boolean
}

function show(suggested: Suggested, { code, detail, measure, isHere }: Shown, { out, cwd }: Context): void {
  const { path, url, summary, suggestions, scope, testing, coverage, warnings = [] } = suggested
  const [first] = suggestions
  const next = first && howToGenerate(first, suggested, isHere, cwd)
  const how = testingLine(
    testing,
    suggestions.map(({ brief }) => brief),
  )
  out.answer(suggested, () => {
    if (path === null) out.line(dim(originOf(suggested)))
    out.line(inWordsOf('commands', summary))
    if (scope) out.line(describeScope(scope))
    out.line(dim(whereMeasured(coverage, measure ? undefined : howToMeasure)))
    if (how !== undefined) out.line(dim(`Tests: ${how}`))
    suggestions.forEach((suggestion, index) => {
      const { id, test_type, example_code } = suggestion
      const words = suggestionWords(suggestion, detail ? 'all' : 'terminal')
      out.line()
      out.line(`${index + 1}. `, bold(words.place), `  ${test_type}`, cyan(id === undefined ? '' : `  ${id}`))
      for (const line of words.lines) out.line(`   ${line}`)
      if ((code || detail) && example_code !== '') out.block(example_code)
    })
    if (url !== undefined) {
      out.line()
      out.line(dim(pageLine(url)))
    }
    for (const warning of warnings) out.warn(inWordsOf('commands', warning))
    if (!first) out.hint('No suggestions. Run `assay analyze` to see what was analyzed.')
    else if (suggested.projectId === null) out.hint('Next: write a test.')
    else out.hint(`Next: write a test${next ? `, or run \`${next}\`` : ''}. Then run \`assay verify FILE\`.`)
  })
}

function originOf({ projectId, commitSha, analyzedAt = null, behind = null }: Suggested): string {
  const when = analyzedAt === null ? '' : `, ${ago(analyzedAt)}`
  const origin = `From the analysis of ${commitSha.slice(0, 10)}${when}`
  if (behind === null || behind === 0) return `${origin}.`
  return `${origin}, ${counted(behind, 'commit')} behind this checkout. Run \`assay analyze ${projectId}\` to update it.`
}

/** Suggestions for a snapshot are not stored and have no id. */
function howToGenerate(
  { id, file_path, target }: Suggestion,
  { projectId, path }: Suggested,
  isHere: boolean,
  cwd: string,
): string | undefined {
  if (projectId === null) return undefined
  const project = isHere ? '' : ` --project ${projectId}`
  if (id !== undefined) return `assay generate --suggestion ${id}${project}`
  if (path === null) return undefined
  const file = quoted(relative(cwd, join(path, file_path)))
  return `assay generate ${file}${target ? ` --symbol ${quoted(target.symbol)}` : ''}${project}`
}
