import { resolve } from 'node:path'
import { inWordsOf } from '../../client/procedure-names.ts'
import { verificationProgress } from '../../client/progress.ts'
import { readTestFiles } from '../../client/test-files.ts'
import type { Verification, VerificationSummary } from '../../core/verifications/schema.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../failure.ts'
import { askPatiently, waitSeconds } from '../following.ts'
import { bold, red } from '../output.ts'
import { sentFacts } from '../snapshot.ts'
import { looks, type VerifyOptions, wantedState } from './verify-one.ts'

/** The limit of core for one call. */
const testsPerCall = 50

/** Verifies several test files, and shows each verdict as soon as it is known. */
export async function verifyMany(
  paths: readonly string[],
  { repeats, mutants, again, budget: budgetSeconds, detach, ...options }: VerifyOptions,
  context: Context,
): Promise<void> {
  const { out, onInterrupt } = context
  const tests = await readTestFiles(paths.map((path) => resolve(context.cwd, path)))
  const [first] = tests
  if (first === undefined) return
  const client = await context.core()
  const filePaths = tests.map(({ filePath }) => filePath)
  const { projectId, state, sent } = await wantedState(client, { ...first, except: filePaths }, options, context)
  const started: VerificationSummary[] = []
  for (let at = 0; at < tests.length; at += testsPerCall) {
    const portion = tests.slice(at, at + testsPerCall).map(({ filePath, code }) => ({ filePath, code }))
    const how = { projectId, ...state, repeats, mutants, again, budgetSeconds }
    started.push(...(await client.tests.verifyMany.mutate({ ...how, tests: portion })).verifications)
  }
  if (detach === true) {
    out.answer({ verifications: started, ...sentFacts(sent) }, () => {
      out.table(
        ['ID', 'FILE'],
        started.map(({ id, filePath }) => [id, filePath]),
      )
      out.hint('Follow one with `assay verify --id ID`, or list all with `assay verify list`.')
    })
    return
  }
  for (const { id, filePath } of started) out.milestone(`Waiting for verification ${id} of ${filePath}`)
  onInterrupt(
    'The verifications continue on the server. List them with `assay verify list`, and cancel one with ' +
      '`assay verify cancel ID`.',
  )
  const ended: Verification[] = []
  const startedAt = Date.now()
  for (const { id: verificationId } of started) {
    for (let isShown = out.json; ;) {
      const wait = waitSeconds(startedAt, out.watched)
      const record = await askPatiently(
        () => client.tests.getVerification.query({ verificationId, waitSeconds: wait }),
        context,
      )
      if (record.completedAt !== null) {
        ended.push(record)
        if (!out.json) showLine(record, context)
        break
      }
      if (record.isProvisional && !isShown) {
        isShown = true
        const why = inWordsOf('commands', record.evidence?.summary ?? '')
        out.warn(`Provisional: ${record.filePath}: ${record.verdict ?? 'no verdict'}. ${why}`)
      }
      const done = `${ended.length} of ${started.length} tests`
      out.milestone(`Verified ${done}. ${record.filePath}: ${verificationProgress(record).message}`)
    }
  }
  onInterrupt(null)
  const verdicts = ended.map(({ verdict, status }) => verdict ?? status)
  const counts = [...Map.groupBy(verdicts, (verdict) => verdict)].map(([verdict, all]) => `${all.length} ${verdict}`)
  out.answer({ verifications: ended, ...sentFacts(sent) }, () => {
    out.line(bold('Tests'), `  ${ended.length}: ${counts.join(', ')}`)
    out.hint('`assay verify --id ID` shows the evidence of a verdict.')
  })
  if (ended.some(({ verdict }) => verdict === null)) context.exitWith(exitCodes.noVerdict)
  else if (ended.some(({ verdict }) => verdict !== 'accepted')) context.exitWith(exitCodes.no)
}

function showLine({ id, filePath, verdict, evidence, status, error }: Verification, { out }: Context): void {
  const [why = ''] = (evidence?.summary ?? error?.message ?? '').split('\n')
  const look = verdict === null ? red(status) : looks[verdict](verdict)
  out.line(look, '  ', bold(filePath), `  ${id}  ${inWordsOf('commands', why)}`)
}
