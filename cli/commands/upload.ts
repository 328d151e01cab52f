import type { Command } from 'commander'
import type { UploadedRun } from '../../core/test-runs/uploads/schema.ts'
import { type CiBuild, readCiBuild } from '../ci.ts'
import { readHead } from '../checkout.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { addProjectOption, type ProjectOptions, repeated } from '../options.ts'
import { dim, yellow } from '../output.ts'
import { checkoutAt, isPath, resolveProject } from '../project.ts'
import { countsOf, percent, statusPart } from '../run-words.ts'
import { sendUpload } from '../send-upload.ts'
import { findFiles, guessPart, makeForm, type Patterns } from '../upload-form.ts'
import { counted } from '../words.ts'

interface UploadOptions extends ProjectOptions {
  reports?: string[]
  coverage?: string[]
  artifacts?: string[]
  branch?: string
  commit?: string
  name?: string
  shardKey?: string
  shards?: boolean
}

export function addUpload(program: Command): void {
  const upload = program
    .command('upload')
    .description('record a run that was made elsewhere, such as in CI, by its reports')
    .argument('[files...]', 'reports and coverage, told apart by their names; wildcards may be quoted')
    .option<string[] | undefined>(
      '--reports <files>',
      'JUnit XML, TRX, JSON of test runners, TAP, CTRF; may be repeated',
      repeated,
    )
    .option<string[] | undefined>(
      '--coverage <files>',
      'LCOV, Cobertura, Istanbul, Go, JaCoCo, Clover; may be repeated',
      repeated,
    )
    .option<string[] | undefined>(
      '--artifacts <files>',
      'anything to be kept beside the run; may be repeated',
      repeated,
    )
    .option('--branch <branch>', 'default: as CI says, else what is checked out')
    .option('--commit <id>', 'the full id; default: as CI says, else what is checked out')
    .option('--name <name>', 'what kind of run it is, where a project has several: unit, e2e')
    .option('--shard-key <text>', 'uploads of one commit with the same key are parts of one run')
    .option('--shards', 'the same with a key of the CI build: for jobs that share the tests among them')
  addProjectOption(upload).action(uploadFiles)
}

async function uploadFiles(given: string[], options: UploadOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, signal, env, cwd } = context
  const { files, unmatched } = await findFiles(patternsOf(given, options), cwd)
  for (const pattern of unmatched) out.warn(`No file is at ${pattern} (artifacts).`)
  const form = await makeForm(await fieldsOf(options, context), files)
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, options.project, context)
  out.progress(`Sending ${counted(files.length, 'file')} …`)
  const { isNew, ...run } = await sendUpload({ projectId, form, credentials: await context.credentials(), signal, env })
  out.answer(run, () => show(run, isNew, context))
}

function show(run: UploadedRun, isNew: boolean, { out }: Context): void {
  out.line(statusPart(run.status), `  ${countsOf(run)}  `, dim(`run ${run.runId}`))
  const coverage = percent(run.coverage)
  if (coverage !== null) out.line(`Coverage ${coverage}`)
  if (!isNew) out.line('The same was recorded before; nothing has changed.')
  for (const warning of run.warnings) out.line(yellow(`! ${warning}`))
  if (run.failedTests > 0) out.hint(`What failed: \`assay failures ${run.runId}\``)
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

/** What is asked for counts, then what CI says, then what is checked out: CI checks out merges that nobody pushed. */
async function fieldsOf(options: UploadOptions, context: Context) {
  const ci = await readCiBuild(context.env)
  const place = options.project !== undefined && isPath(options.project) ? options.project : '.'
  const checkout = await checkoutAt(place, context).catch(() => undefined)
  const head = checkout && (await readHead(checkout.root))
  const branch = options.branch ?? ci?.branch ?? head?.branch ?? undefined
  const commitSha = options.commit ?? fullId(ci?.commitSha) ?? head?.commitSha
  if (branch === undefined || commitSha === undefined) {
    const missing = [branch === undefined ? '--branch' : '', commitSha === undefined ? '--commit' : ''].filter(Boolean)
    throw wrongUsage(`Neither CI nor a checkout says what was tested. Give ${missing.join(' and ')}.`)
  }
  return { branch, commitSha, name: options.name, shardKey: shardKeyOf(options, ci), root: checkout?.root }
}

/** Some services say HEAD where nobody asked for a commit. */
const fullId = (text: string | undefined) => (text !== undefined && /^[0-9a-f]{40,64}$/i.test(text) ? text : undefined)

function shardKeyOf({ shardKey, shards }: UploadOptions, ci: CiBuild | undefined): string | undefined {
  if (shards !== true || shardKey !== undefined) return shardKey
  if (ci?.build !== undefined) return ci.build
  throw wrongUsage('This is no CI build that is known. Give --shard-key with a text that all its jobs share.')
}
