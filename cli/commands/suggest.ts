import { join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { describeLocalRepository, type LocalRepository } from '../../client/local-repository.ts'
import { isSameRepository } from '../../client/repository-key.ts'
import { findCommittedCheckout } from '../../client/committed-checkout.ts'
import { whereMeasured } from '../../client/coverage-words.ts'
import { findPlanSettings } from '../../client/plan-settings.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { cutForUpload } from '../../client/upload.ts'
import type { Suggestion } from '../../core/ai/schema.ts'
import type { Project } from '../../core/projects/schema.ts'
import type { RankingCoverage } from '../../engines/analysis/schema.ts'
import type { Scope } from '../../core/base/schema.ts'
import { commitsSince, isCommitted } from '../checkout.ts'
import { type Context, openContext } from '../context.ts'
import { notAllowed, wrongUsage } from '../failure.ts'
import { afterFirstAnalysis, followAnalysis, latestAnalysis } from '../follow-analysis.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { bold, cyan, dim } from '../output.ts'
import { projectForCheckout, quoted, resolveProject, resolveTarget } from '../project.ts'
import { ago, counted } from '../words.ts'
import { analyzeCheckout } from '../working-tree.ts'

interface SuggestOptions extends ProjectOptions {
  max: number
  code?: boolean
}

export function addSuggest(program: Command): void {
  const suggest = program
    .command('suggest')
    .description('suggest tests to write')
    .argument('[target]', 'checkout to analyze, with uncommitted changes (default: current checkout), or a project')
    .addOption(new Option('--max <count>', 'maximum number of suggestions').argParser(wholeNumber(1, 50)).default(10))
    .option('--code', 'include an example of each test')
  addProjectOption(suggest).action(run)
}

async function run(given: string | undefined, options: SuggestOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { project: named, max: maxSuggestions, code = false } = options
  const target =
    given === undefined && named !== undefined
      ? { project: await resolveProject(await core(), named, context) }
      : await resolveTarget(given, context)
  const client = await core()
  if ('project' in target) {
    if (given !== undefined && named !== undefined)
      throw wrongUsage('Give the project either as the target or as --project, not both.')
    const { id: projectId } = target.project
    out.progress('Suggesting tests')
    const result = await afterFirstAnalysis(context, () =>
      client.analysis.suggestTests.mutate({ projectId, maxSuggestions, waitSeconds: 0 }),
    )
    const analysis = await latestAnalysis(client, projectId)
    const analyzedAt = analysis?.commitSha === result.commitSha ? analysis.completedAt : null
    const behind = await commitsBehind(target.project, result.commitSha, context.cwd)
    return show({ projectId, path: null, analyzedAt, behind, ...result }, { code, isHere: false }, context)
  }
  const { repository } = target
  // A missing project or scope is reported before the analysis, which may take long.
  await requireScope(client)
  const project =
    named === undefined
      ? await projectForCheckout(client, repository, context)
      : await resolveProject(client, named, context)
  const { id: projectId } = project
  const isHere = named === undefined && (given === undefined || given === '.')
  if (named === undefined && (await hasAnalysis(client, project, repository, context))) {
    out.progress('Suggesting tests')
    const result = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions })
    return show({ projectId, path: repository.root, ...result }, { code, isHere }, context)
  }
  const planSettings = await findPlanSettings(client, projectId)
  const analysisOverride = cutForUpload(await analyzeCheckout(repository.root, context, planSettings))
  out.progress('Suggesting tests')
  const result = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions, analysisOverride })
  return show({ projectId, path: repository.root, ...result }, { code, isHere }, context)
}

/**
 * Whether the project has an analysis of exactly what the checkout contains. Makes one if the server can read the
 * checkout itself.
 */
async function hasAnalysis(
  core: CoreClient,
  project: Project,
  repository: LocalRepository,
  context: Context,
): Promise<boolean> {
  const checkout = await findCommittedCheckout(core, project, repository)
  if (!checkout || checkout.isAnalyzed || project.repository !== repository.root) return checkout?.isAnalyzed === true
  const { id } = await core.analysis.startAnalysis.mutate({ projectId: project.id, commitSha: checkout.commitSha })
  await followAnalysis(id, context)
  return true
}

async function requireScope(core: CoreClient): Promise<void> {
  const scope: Scope = 'analysis:run'
  const { scopes } = await core.tokens.current.query()
  if (!scopes.includes(scope))
    throw notAllowed(`Not allowed: your token lacks the scope ${scope}. \`assay whoami\` shows its scopes.`)
}

/** Returns how many commits the current checkout is ahead; null where it is not a checkout of the project. */
async function commitsBehind(project: Project, commitSha: string, cwd: string): Promise<number | null> {
  const repository = await describeLocalRepository(cwd).catch(() => undefined)
  if (!repository) return null
  const addresses = [repository.root, ...repository.remotes]
  if (!addresses.some((address) => isSameRepository(project.repository, address))) return null
  return (await commitsSince(repository.root, commitSha)) ?? null
}

interface Suggested {
  projectId: string
  /** The checkout that was analyzed; null for the project's own analysis. */
  path: string | null
  analyzedAt?: string | null
  behind?: number | null
  commitSha: string
  summary: string
  suggestions: Suggestion[]
  coverage?: RankingCoverage | null | undefined
  warnings?: string[] | undefined
}

interface Shown {
  code: boolean
  /** The project belongs to the current checkout. */
  isHere: boolean
}

async function show(suggested: Suggested, { code, isHere }: Shown, { out, cwd }: Context): Promise<void> {
  const { path, summary, suggestions, coverage, warnings = [] } = suggested
  const [first] = suggestions
  const next = first && (await howToGenerate(first, suggested, isHere, cwd))
  out.answer(suggested, () => {
    if (path === null) out.line(dim(originOf(suggested)))
    out.line(inWordsOf('commands', summary))
    out.line(dim(whereMeasured(coverage, '`assay run`')))
    suggestions.forEach(({ id, file_path, test_type, description, rationale, example_code, target }, index) => {
      const place = target ? `:${target.startLine}-${target.endLine} ${target.symbol}` : ''
      out.line()
      out.line(
        `${index + 1}. `,
        bold(`${file_path}${place}`),
        `  ${test_type}`,
        cyan(id === undefined ? '' : `  ${id}`),
      )
      out.line(`   ${description}`)
      out.line(dim(`   ${rationale}`))
      if (code) out.block(example_code)
    })
    for (const warning of warnings) out.warn(inWordsOf('commands', warning))
    if (!first) out.hint('No suggestions. Run `assay analyze` to see what was analyzed.')
    else out.hint(`Next: write a test${next ? `, or run \`${next}\`` : ''}. Then run \`assay verify FILE\`.`)
  })
}

function originOf({ projectId, commitSha, analyzedAt = null, behind = null }: Suggested): string {
  const when = analyzedAt === null ? '' : `, ${ago(analyzedAt)}`
  const origin = `From the analysis of ${commitSha.slice(0, 10)}${when}`
  if (behind === null || behind === 0) return `${origin}.`
  return `${origin}, ${counted(behind, 'commit')} behind this checkout. Run \`assay analyze ${projectId}\` to update it.`
}

/** Suggestions for a working tree are mostly not stored and have no id. Core cannot read files that are not committed. */
async function howToGenerate(
  { id, file_path, target }: Suggestion,
  { projectId, path }: Suggested,
  isHere: boolean,
  cwd: string,
): Promise<string | undefined> {
  const project = isHere ? '' : ` --project ${projectId}`
  if (id !== undefined) return `assay generate --suggestion ${id}${project}`
  if (path === null || !(await isCommitted(path, file_path))) return undefined
  const file = quoted(relative(cwd, join(path, file_path)))
  return `assay generate ${file}${target ? ` --symbol ${quoted(target.symbol)}` : ''}${project}`
}
