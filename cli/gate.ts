import { randomUUID } from 'node:crypto'
import type { CoreClient } from '../client/core-client.ts'
import { findCredentials } from '../client/credentials.ts'
import { cleanLine } from '../client/sanitize.ts'
import type { FailureDigest } from '../core/test-runs/failures/schema.ts'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'
import { type BareContext, clientFor, readSettings } from './context.ts'
import { namesInWords } from './digest.ts'
import { explainError } from './explain-error.ts'
import { notLoggedIn } from './failure.ts'
import { findMuted } from './muted-tests.ts'
import { resolveProject, shown } from './project.ts'
import { countsOf } from './run-words.ts'
import { sendUpload } from './send-upload.ts'
import { type TestedCode, uploadFields, type UploadOptions } from './upload-fields.ts'
import { makeForm } from './upload-form.ts'
import { counted, pageLine } from './words.ts'
import type { WrittenReports } from './written-reports.ts'

export interface GateReport {
  commandExitCode: number
  exitCode: number
  /** Why this is the exit code, in one line. */
  statement: string
  /** Names of the uploaded reports. */
  reports: string[]
  run: UploadedRun | null
  muted: FailureDigest['muted'] | null
}

interface EndedCommand {
  exitCode: number
  findReports: () => Promise<WrittenReports>
  /** What the command tested. */
  code: Promise<TestedCode>
  options: UploadOptions
  /** The maximum time to wait for the server. */
  timeoutSeconds: number
  /** Aborts if the user does not want to wait for the server. */
  stop: AbortSignal
}

/**
 * Uploads the reports of a command that has ended, and decides with the answer of the server. Never fails: without an
 * answer, the exit code is that of the command.
 */
export async function settleGate(ended: EndedCommand, context: BareContext): Promise<GateReport> {
  const { exitCode, timeoutSeconds, stop } = ended
  const kept = { commandExitCode: exitCode, exitCode, reports: [], run: null, muted: null }
  const deadline = AbortSignal.timeout(timeoutSeconds * 1_000)
  const signal = AbortSignal.any([stop, deadline])
  try {
    const written = await ended.findReports()
    for (const note of written.notes) context.out.warn(note)
    if (written.files.length === 0) {
      const [problem] = written.problems
      const why = problem ?? 'the command wrote no report that Assay recognizes. Name its reports with --reports'
      return { ...kept, statement: unchanged(exitCode, withCrash(exitCode, why)) }
    }
    const aborted = whenAborted(signal)
    const { run, core } = await Promise.race([upload(written, ended, signal, context), aborted])
    // The names do not decide.
    const muted = await Promise.race([findMuted(core, run), aborted]).catch(() => null)
    const uploaded = { run, muted }
    const reports = written.files.flatMap(({ part, name }) => (part === 'reports' ? [name] : []))
    showUpload(uploaded.run, reports, written, context)
    return { ...kept, ...uploaded, reports, ...decide(exitCode, written, uploaded) }
  } catch (error) {
    const why = deadline.aborted
      ? `the server did not answer within ${timeoutSeconds} s`
      : stop.aborted
        ? 'a signal ended the wait for the server'
        : (await explainError(error, context)).message
    return { ...kept, statement: unchanged(exitCode, why) }
  }
}

/** Explains the codes of shells for a program that could not be run, or that a signal ended; null for other codes. */
function crashOf(exitCode: number): string | null {
  if (exitCode === 127) return 'this code means that a shell did not find a program'
  if (exitCode === 126) return 'this code means that a shell could not start a program'
  if (exitCode > 128 && exitCode <= 192) return `this code means that signal ${exitCode - 128} ended a program`
  return null
}

function withCrash(exitCode: number, why: string): string {
  const crash = crashOf(exitCode)
  return crash === null ? why : `${crash}. ${why.charAt(0).toUpperCase()}${why.slice(1)}`
}

function decide(
  exitCode: number,
  { failures, problems }: WrittenReports,
  { run, muted }: Uploaded,
): Pick<GateReport, 'exitCode' | 'statement'> {
  if (exitCode === 0) return { exitCode, statement: 'The command passed.' }
  const keep = (why: string) => ({ exitCode, statement: unchanged(exitCode, why) })
  const [problem] = problems
  if (problem !== undefined) return keep(problem)
  if (failures === 0) return keep('its reports contain no failure, so the command failed for another reason')
  if (run.failedTests > 0) {
    return keep(`${counted(run.failedTests, 'test')} failed. \`assay failures ${run.runId}\` shows what failed`)
  }
  if (run.status !== 'PASSED' || run.mutedTests < failures) {
    return keep('the server counts other failures than the reports contain')
  }
  const crash = crashOf(exitCode)
  if (crash !== null) return keep(crash)
  const names = muted === null ? '' : `: ${shown(namesInWords(muted))}`
  const which = failures === 1 ? 'the test that failed is muted' : `the ${failures} tests that failed are muted`
  return { exitCode: 0, statement: `Exit code 0 instead of ${exitCode}, because ${which}${names}.` }
}

function unchanged(exitCode: number, why: string): string {
  const sentence = `${cleanLine(why).replace(/\.$/, '')}.`
  return exitCode === 0
    ? `The command passed. Assay has no result: ${sentence}`
    : `Exit code ${exitCode} of the command: ${sentence}`
}

interface Uploaded {
  run: UploadedRun
  muted: FailureDigest['muted'] | null
}

async function upload(
  { files }: WrittenReports,
  { options, code }: Pick<EndedCommand, 'options' | 'code'>,
  signal: AbortSignal,
  context: BareContext,
): Promise<{ run: UploadedRun; core: CoreClient }> {
  const credentials = await findCredentials(readSettings(context.env))
  const { baseUrl, token } = credentials
  if (token === undefined) {
    throw notLoggedIn(`You are not logged in to ${baseUrl}. Run \`assay login\`, or set SVC_API_TOKEN.`)
  }
  const core = clientFor(baseUrl, token, signal)
  const fields = uploadFields(options, files, await code, context.out)
  // The tests have run again, even if they wrote the same as before.
  const form = await makeForm({ ...fields, shardKey: fields['shardKey'] ?? `gate ${randomUUID()}` }, files)
  const { id: projectId } = await resolveProject(core, options.project, context)
  const { isNew: _, ...run } = await sendUpload({ projectId, form, credentials, signal })
  return { run, core }
}

function showUpload(run: UploadedRun, reports: readonly string[], written: WrittenReports, { out }: BareContext): void {
  const names = shown(reports.slice(0, 5).join(', '))
  const more = reports.length > 5 ? ` and ${reports.length - 5} more` : ''
  out.warn(`Uploaded ${counted(reports.length, 'report')} (${names}${more}): ${run.status}, ${countsOf(run)}`)
  if (written.formats.size > 1) {
    out.warn('The reports have several formats. If they contain the same tests, name those of one with --reports.')
  }
  for (const warning of run.warnings) out.warn(`! ${cleanLine(warning)}`)
  out.warn(pageLine(run.url))
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
