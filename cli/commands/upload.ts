import type { Command } from 'commander'
import type { UploadedRun } from '../../core/test-runs/uploads/schema.ts'
import { reportFormats } from '../../engines/reports/report.ts'
import { type CiBuild, readCiBuild } from '../ci.ts'
import { readHead } from '../checkout.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addProjectOption, type ProjectOptions, repeated } from '../options.ts'
import { dim, yellow } from '../output.ts'
import { checkoutAt, isPath, resolveProject } from '../project.ts'
import { runCoverageWords } from '../../client/run-coverage-words.ts'
import { countsOf, statusPart } from '../run-words.ts'
import { sendUpload } from '../send-upload.ts'
import { findFiles, guessPart, makeForm, type Patterns } from '../upload-form.ts'
import { counted, pageLine } from '../words.ts'

interface UploadOptions extends ProjectOptions {
  reports?: string[]
  coverage?: string[]
  artifacts?: string[]
  branch?: string
  commit?: string
  name?: string
  shardKey?: string
  shards?: boolean
  root?: string
}

export function addUpload(program: Command): void {
  const upload = program
    .command('upload')
    .description('record a test run from CI by uploading its reports')
    .argument('[files...]', 'report and coverage files, detected by name; quote wildcards')
    .option<string[] | undefined>('--reports <files>', `reports: ${reportFormats} (repeatable)`, repeated)
    .option<string[] | undefined>(
      '--coverage <files>',
      'LCOV, Cobertura, Istanbul, Go, JaCoCo or Clover coverage (repeatable)',
      repeated,
    )
    .option<string[] | undefined>('--artifacts <files>', 'other files to keep with the run (repeatable)', repeated)
    .option('--branch <branch>', 'branch that was tested (default: from CI, else the checkout)')
    .option('--commit <id>', 'full id of the commit that was tested (default: from CI, else the checkout)')
    .option('--name <name>', 'name of the run, for projects with several, such as unit and e2e')
    .option('--shard-key <text>', 'merge uploads of one commit with the same key into one run')
    .option('--shards', 'merge the uploads of all jobs of a CI build into one run')
    .option(
      '--root <folder>',
      'folder of the checkout that the tests ran in, for absolute paths in the files (default: this checkout)',
    )
  addProjectOption(upload).action(uploadFiles)
}

async function uploadFiles(given: string[], options: UploadOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, signal, cwd } = context
  const { files, unmatched } = await findFiles(patternsOf(given, options), cwd)
  for (const pattern of unmatched) out.warn(`No file matches ${pattern} (artifacts).`)
  const form = await makeForm(await fieldsOf(options, context), files)
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, options.project, context)
  out.progress(`Uploading ${counted(files.length, 'file')} …`)
  const { isNew, ...run } = await sendUpload({ projectId, form, credentials: await context.credentials(), signal })
  out.answer(run, () => show(run, isNew, context))
}

function show(run: UploadedRun, isNew: boolean, { out }: Context): void {
  // Without tests, nothing passed.
  const head = run.totalTests === 0 && run.status === 'PASSED' ? ['UPLOADED'] : [statusPart(run.status)]
  out.line(...head, `  ${countsOf(run)}  `, dim(`run ${run.runId}`))
  const covered = runCoverageWords(run)
  if (covered) out.line(`Coverage ${covered.summary}`)
  if (!isNew) out.line('This upload was already recorded. Nothing changed.')
  for (const warning of run.warnings) out.line(yellow(`! ${warning}`))
  out.line(dim(pageLine(run.url)))
  if (run.failedTests > 0) out.hint(`Run \`assay failures ${run.runId}\` to see the failures.`)
}

function patternsOf(
  given: readonly string[],
  { reports = [], coverage = [], artifacts = [] }: UploadOptions,
): Patterns {
  const guessed = (part: 'reports' | 'coverage') => given.filter((pattern) => guessPart(pattern) === part)
  const patterns = {
    reports: [...reports, ...guessed('reports')],
    coverage: [...coverage, ...guessed('coverage')],
    artifacts,
  }
  if (patterns.reports.length + patterns.coverage.length > 0) return patterns
  throw wrongUsage('Name at least one report or coverage file, as in `assay upload junit.xml coverage/lcov.info`.')
}

/** Options come before CI, and CI before the checkout, because CI may check out a merge commit that was never pushed. */
async function fieldsOf(options: UploadOptions, context: Context) {
  const ci = await readCiBuild(context.env)
  const place = options.project !== undefined && isPath(options.project) ? options.project : '.'
  const checkout = await checkoutAt(place, context).catch(() => undefined)
  const head = checkout && (await readHead(checkout.root))
  const branch = options.branch ?? ci?.branch ?? head?.branch ?? undefined
  const commitSha = options.commit ?? fullId(ci?.commitSha) ?? head?.commitSha
  if (branch === undefined || commitSha === undefined) {
    const missing = [branch === undefined ? '--branch' : '', commitSha === undefined ? '--commit' : ''].filter(Boolean)
    const what = commitSha === undefined ? 'the commit that was tested' : 'the branch of the commit that was tested'
    throw wrongUsage(`Neither CI nor a checkout has ${what}. Give ${missing.join(' and ')}.`)
  }
  return {
    branch,
    commitSha,
    name: options.name,
    shardKey: shardKeyOf(options, ci),
    root: options.root ?? checkout?.root,
  }
}

/** Some services report HEAD in place of an id. */
const fullId = (text: string | undefined) => (text !== undefined && /^[0-9a-f]{40,64}$/i.test(text) ? text : undefined)

function shardKeyOf({ shardKey, shards }: UploadOptions, ci: CiBuild | undefined): string | undefined {
  if (shards !== true || shardKey !== undefined) return shardKey
  if (ci?.build !== undefined) return ci.build
  throw wrongUsage(
    '--shards requires a CI service that Assay knows. Give --shard-key with a text that all jobs of the build share.',
  )
}
