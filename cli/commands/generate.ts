import { dirname, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { GeneratedTests } from '../../core/generated-tests/schema.ts'
import { addCommittedOptions, type CommittedOptions, committedState } from '../committed.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { afterFirstAnalysis } from '../follow-analysis.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { bold, dim } from '../output.ts'
import { checkoutAt, pathInRepository, resolveOrAddProject } from '../project.ts'
import { addIncludeOption, type IncludeOptions, sendCheckout, sentFacts, stateOf } from '../snapshot.ts'
import { pageLine } from '../words.ts'
import { writeTests } from '../write-tests.ts'

interface GenerateOptions extends ProjectOptions, IncludeOptions, CommittedOptions {
  symbol?: string
  lines?: { startLine: number; endLine: number }
  suggestion?: string
  framework?: string
  count: number
  write?: boolean
  force?: boolean
}

export function addGenerate(program: Command): void {
  const generate = program
    .command('generate')
    .description(
      'generate tests for a file or a symbol of the checkout, as a snapshot if it has changes, or for a suggestion',
    )
    .argument('[file]', 'source file to test')
    .option('--symbol <name>', 'function, method or class in the file, such as Cart.total')
    .addOption(new Option('--lines <from-to>', 'line range in the file, such as 12-40').argParser(readLines))
    .option('--suggestion <id>', 'suggestion from `assay suggest`, instead of a file')
    .option('--framework <name>', 'test framework (default: framework of the project)')
    .addOption(new Option('--count <count>', 'number of tests').argParser(wholeNumber(1, 10)).default(1))
    .option('--write', 'write the tests to the working tree instead of printing them')
    .option('--force', 'overwrite existing files (with --write)')
  addIncludeOption(addCommittedOptions(addProjectOption(generate))).action(run)
}

async function run(file: string | undefined, options: GenerateOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { suggestion, symbol, lines, framework, count, write = false, project, include } = options
  if ((file === undefined) === (suggestion === undefined))
    throw wrongUsage('Give either a file or --suggestion, not both.')
  if (suggestion !== undefined && (symbol !== undefined || lines !== undefined)) {
    throw wrongUsage('--symbol and --lines require a file. A suggestion has its own target.')
  }
  const folder = file === undefined ? '.' : dirname(resolve(context.cwd, file))
  const committed = await committedState(options, folder, context)
  if (include && (file === undefined || project !== undefined || committed)) {
    throw wrongUsage('--include requires a file, and cannot be combined with --head, --branch, --commit or --project.')
  }
  const client = await context.core()
  const { id: projectId } = await resolveOrAddProject(client, project ?? folder, context)
  const target = file === undefined ? undefined : { path: await pathInRepository(file, context), symbol, ...lines }
  const repository = project === undefined || write ? await checkoutAt(folder, context) : undefined
  const sent =
    target && repository && project === undefined && !committed
      ? await sendCheckout(client, { projectId, root: repository.root, include }, context)
      : undefined
  context.out.progress('Generating tests')
  const generated = await afterFirstAnalysis(context, () =>
    client.analysis.generateTests.mutate({
      projectId,
      target,
      suggestionId: suggestion,
      ...(sent ? stateOf(sent) : committed),
      framework,
      count,
      waitSeconds: 0,
    }),
  )
  const written =
    write && repository
      ? await writeTests(generated.tests, repository.root, { cwd: context.cwd, force: options.force })
      : []
  show(generated, written, sentFacts(sent), context)
}

function show(
  { tests, warnings }: GeneratedTests,
  written: string[],
  facts: ReturnType<typeof sentFacts>,
  { out }: Context,
): void {
  out.answer({ tests, warnings, written, ...facts }, () => {
    for (const [index, { id, url, filePath, code, description }] of tests.entries()) {
      const path = written[index]
      out.line(path === undefined ? '' : 'Wrote ', bold(path ?? filePath), dim(`  ${id}`))
      if (description) out.line(dim(description))
      if (written.length === 0) out.block(code)
      out.line(dim(pageLine(url)))
    }
    for (const warning of warnings) out.warn(warning)
    const [first] = written
    if (first !== undefined) out.hint(`Next: run \`assay verify ${first}\` to decide whether to keep it.`)
    else if (tests.length > 0) out.hint('Add --write to write them to the working tree.')
  })
}

function readLines(text: string): { startLine: number; endLine: number } {
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? []
  const startLine = Number(from)
  const endLine = Number(to)
  if (!(startLine >= 1 && endLine >= startLine))
    throw new InvalidArgumentError('It must be a line range such as 12-40.')
  return { startLine, endLine }
}
