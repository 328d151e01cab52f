import type { Command } from 'commander'
import type { FailureDigest } from '../../core/test-runs/failures/schema.ts'
import type { UploadedRun } from '../../core/test-runs/uploads/schema.ts'
import { reportFormats } from '../../engines/reports/report.ts'
import { type Context, openContext } from '../context.ts'
import { namesInWords } from '../digest.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { findMuted } from '../muted-tests.ts'
import { repeated } from '../options.ts'
import { dim, green, red, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { runCoverageWords } from '../../client/run-coverage-words.ts'
import { countsOf, statusPart } from '../run-words.ts'
import { sendUpload } from '../send-upload.ts'
import { addUploadOptions, readTestedCode, uploadFields, type UploadOptions } from '../upload-fields.ts'
import { findFiles, guessPart, makeForm, type Patterns } from '../upload-form.ts'
import { counted, pageLine } from '../words.ts'

interface FileOptions extends UploadOptions {
  reports?: string[]
  coverage?: string[]
  artifacts?: string[]
  gate?: boolean
  done?: boolean
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
    .option('--gate', 'exit with code 1 if a test failed that is not muted, or if there are no tests')
    .option('--done', 'say that no more uploads of the commit come, so that its gate stops waiting; also without files')
  addUploadOptions(upload).action(uploadFiles)
}

async function uploadFiles(given: string[], options: FileOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, signal, cwd, exitWith } = context
  const isEmpty =
    given.length + [options.reports, options.coverage, options.artifacts].flat().filter(Boolean).length === 0
  if (options.done === true && isEmpty) return finish(options, context)
  const { files, unmatched } = await findFiles(patternsOf(given, options), cwd)
  for (const pattern of unmatched) out.warn(`No file matches ${pattern} (artifacts).`)
  const fields = uploadFields(options, files, await readTestedCode(options, context), out)
  const form = await makeForm(fields, files)
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, options.project, context)
  out.progress(`Uploading ${counted(files.length, 'file')} …`)
  const { isNew, ...run } = await sendUpload({ projectId, form, credentials: await context.credentials(), signal })
  const { commitSha } = fields
  if (options.done === true) {
    if (commitSha === undefined) throw wrongUsage('--done requires a commit. Give --branch and --commit.')
    await core.gate.finishUploads.mutate({ projectId, commitSha })
  }
  const muted = await findMuted(core, run)
  const gate = options.gate === true ? gateOf(run) : undefined
  out.answer({ ...run, muted, ...(gate && { gate }) }, () => show({ run, isNew, muted, gate }, context))
  if (gate?.outcome === 'failed') exitWith(exitCodes.no)
}

/** Says that no more uploads of a commit come. */
async function finish(options: FileOptions, context: Context): Promise<void> {
  const { out } = context
  const { commitSha } = uploadFields(options, [], await readTestedCode(options, context), out)
  if (commitSha === undefined) throw wrongUsage('Commit the changes first, or give --branch and --commit.')
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, options.project, context)
  const finished = await core.gate.finishUploads.mutate({ projectId, commitSha })
  out.answer(finished, () => out.line(`No more uploads of commit ${commitSha.slice(0, 12)} are expected.`))
}

interface Gate {
  outcome: 'passed' | 'failed'
  reason: string
}

function gateOf({ status, totalTests, failedTests, mutedTests }: UploadedRun): Gate {
  if (status !== 'PASSED' && failedTests > 0) {
    const kept = mutedTests > 0 ? `, and ${mutedTests} failed but muted` : ''
    return { outcome: 'failed', reason: `${counted(failedTests, 'test')} failed${kept}.` }
  }
  if (status !== 'PASSED' || totalTests === 0) return { outcome: 'failed', reason: 'The reports contain no tests.' }
  if (mutedTests === 0) return { outcome: 'passed', reason: 'No test failed.' }
  const reason = mutedTests === 1 ? 'The test that failed is muted.' : `The ${mutedTests} tests that failed are muted.`
  return { outcome: 'passed', reason }
}

interface Shown {
  run: UploadedRun
  isNew: boolean
  muted: FailureDigest['muted'] | null
  gate: Gate | undefined
}

function show({ run, isNew, muted, gate }: Shown, { out }: Context): void {
  // Without tests, nothing passed.
  const head = run.totalTests === 0 && run.status === 'PASSED' ? ['UPLOADED'] : [statusPart(run.status)]
  out.line(...head, `  ${countsOf(run)}  `, dim(`run ${run.runId}`))
  if (muted) out.line(`Failed but muted: ${namesInWords(muted)}`)
  const covered = runCoverageWords(run)
  if (covered) out.line(`Coverage ${covered.summary}`)
  if (!isNew) out.line('This upload was already recorded. Nothing changed.')
  for (const warning of run.warnings) out.line(yellow(`! ${warning}`))
  if (gate) out.line((gate.outcome === 'passed' ? green : red)(`Gate ${gate.outcome}`), `  ${gate.reason}`)
  out.line(dim(pageLine(run.url)))
  if (run.failedTests > 0) out.hint(`Run \`assay failures ${run.runId}\` to see the failures.`)
}

function patternsOf(given: readonly string[], { reports = [], coverage = [], artifacts = [] }: FileOptions): Patterns {
  const guessed = (part: 'reports' | 'coverage') => given.filter((pattern) => guessPart(pattern) === part)
  const patterns = {
    reports: [...reports, ...guessed('reports')],
    coverage: [...coverage, ...guessed('coverage')],
    artifacts,
  }
  if (patterns.reports.length + patterns.coverage.length > 0) return patterns
  throw wrongUsage('Name at least one report or coverage file, as in `assay upload junit.xml coverage/lcov.info`.')
}
