import { type Command, Option } from 'commander'
import { cutForUpload } from '../../client/upload.ts'
import type { Suggestion } from '../../core/analysis/schema.ts'
import { type Context, openContext } from '../context.ts'
import { inCommands, wrongUsage } from '../failure.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { bold, cyan, dim } from '../output.ts'
import { projectOfCheckout, resolveProject, resolveTarget } from '../project.ts'
import { analyzeCheckout } from '../working-tree.ts'

interface SuggestOptions extends ProjectOptions {
  max: number
  code?: boolean
}

export function addSuggest(program: Command): void {
  const suggest = program
    .command('suggest')
    .description('say which tests to write')
    .argument('[target]', 'path of a checkout, taken as it is on disk (default: the one you are in); or a project')
    .addOption(new Option('--max <count>', 'at most so many').argParser(wholeNumber(1, 50)).default(10))
    .option('--code', 'show an example of each test')
  addProjectOption(suggest).action(run)
}

async function run(given: string | undefined, options: SuggestOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { core, out } = context
  const { project: named, max: maxSuggestions } = options
  const target =
    given === undefined && named !== undefined
      ? { project: await resolveProject(await core(), named) }
      : await resolveTarget(core, given)
  const client = await core()
  if ('project' in target) {
    if (given !== undefined && named !== undefined)
      throw wrongUsage('Give the project once: as target or as --project.')
    const { id: projectId } = target.project
    out.progress('Thinking about tests')
    const result = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions })
    return show({ projectId, path: null, ...result }, options, context)
  }
  const { repository } = target
  // Asked first: there is no use in analysing what nobody will answer for.
  const { id: projectId } = await (named === undefined
    ? projectOfCheckout(client, repository)
    : resolveProject(client, named))
  const analysisOverride = cutForUpload(await analyzeCheckout(repository.root, context))
  out.progress('Thinking about tests')
  const result = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions, analysisOverride })
  return show({ projectId, path: repository.root, ...result }, options, context)
}

interface Suggested {
  projectId: string
  path: string | null
  summary: string
  suggestions: Suggestion[]
  warnings?: string[] | undefined
}

function show(suggested: Suggested, { code = false }: SuggestOptions, { out }: Context): void {
  const { summary, suggestions, warnings = [] } = suggested
  out.answer(suggested, () => {
    out.line(inCommands(summary))
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
    for (const warning of warnings) out.hint(warning)
    const [first] = suggestions
    if (first) out.hint(`Next: write one, or \`${howToGenerate(first)}\`; then \`assay verify FILE\`.`)
    else out.hint('Nothing to suggest. `assay analyze` shows what is there.')
  })
}

/** Those of a working tree are not kept, and have no id. */
function howToGenerate({ id, file_path, target }: Suggestion): string {
  if (id !== undefined) return `assay generate --suggestion ${id}`
  return `assay generate ${file_path}${target ? ` --symbol ${target.symbol}` : ''}`
}
