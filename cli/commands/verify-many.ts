import { resolve } from 'node:path'
import { inWordsOf } from '../../client/procedure-names.ts'
import { verificationProgress } from '../../client/progress.ts'
import { readTestFiles } from '../../client/test-files.ts'
import type { Verification, VerificationSummary } from '../../core/verifications/schema.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../failure.ts'
import { askPatiently, waitSeconds } from '../following.ts'
import { bold, dim, red } from '../output.ts'
import { sentFacts } from '../snapshot.ts'
import { pageLine } from '../words.ts'
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
  const batchIds: string[] = []
  let page = ''
  for (let at = 0; at < tests.length; at += testsPerCall) {
    const portion = tests.slice(at, at + testsPerCall).map(({ filePath, code }) => ({ filePath, code }))
    const how = { projectId, ...state, repeats, mutants, again, budgetSeconds }
    const { batchId, url, verifications } = await client.tests.verifyMany.mutate({ ...how, tests: portion })
    batchIds.push(batchId)
    page = url
    started.push(...verifications)
    // At once, because the server can refuse the next portion.
    if (detach !== true)
      for (const { id, filePath } of verifications) out.warn(`Waiting for verification ${id} of ${filePath}`)
  }
  if (detach === true) {
    out.answer({ url: page, verifications: started, ...sentFacts(sent) }, () => {
      out.table(
        ['ID', 'FILE'],
        started.map(({ id, filePath }) => [id, filePath]),
      )
      out.hint('Follow one with `assay verify --id ID`, or list all with `assay verify list`.')
    })
    return
  }
  onInterrupt(
    'The verifications continue on the server. List them with `assay verify list`, and cancel one with ' +
      '`assay verify cancel ID`.',
  )
  const ended = await followAll({ projectId, batchIds, started }, context)
  onInterrupt(null)
  const verdicts = ended.map(({ verdict, status }) => verdict ?? status)
  const counts = [...Map.groupBy(verdicts, (verdict) => verdict)].map(([verdict, all]) => `${all.length} ${verdict}`)
  out.answer({ url: page, verifications: ended, ...sentFacts(sent) }, () => {
    out.line(bold('Tests'), `  ${ended.length}: ${counts.join(', ')}`)
    out.line(dim(pageLine(page)))
    out.hint('`assay verify --id ID` shows the evidence of a verdict.')
  })
  if (ended.some(({ verdict }) => verdict === null)) context.exitWith(exitCodes.noVerdict)
  else if (ended.some(({ verdict }) => verdict !== 'accepted')) context.exitWith(exitCodes.no)
}

interface Followed {
  projectId: string
  batchIds: readonly string[]
  started: readonly VerificationSummary[]
}

/** Waits for all verdicts, and shows each as soon as it is known. Returns them in the order of the start. */
async function followAll({ projectId, batchIds, started }: Followed, context: Context): Promise<Verification[]> {
  const { out } = context
  const client = await context.core()
  const { getVerification, listVerifications } = client.tests
  const ended = new Map<string, Verification>()
  const shown = new Set<string>()
  const startedAt = Date.now()
  for (;;) {
    const oldest = started.find(({ id }) => !ended.has(id))
    if (!oldest) return started.flatMap(({ id }) => ended.get(id) ?? [])
    const wait = { verificationId: oldest.id, waitSeconds: waitSeconds(startedAt, out.watched) }
    const record = await askPatiently(() => getVerification.query({ ...wait, final: shown.has(oldest.id) }), context)
    for (const batchId of batchIds) {
      const page = await askPatiently(
        () => listVerifications.query({ projectId, batchId, limit: testsPerCall }),
        context,
      )
      for (const { id, filePath, completedAt, isProvisional, verdict } of page.verifications) {
        if (completedAt !== null && !ended.has(id)) {
          const final = await askPatiently(() => getVerification.query({ verificationId: id }), context)
          ended.set(id, final)
          showLine(final, context)
        } else if (isProvisional && !shown.has(id)) {
          shown.add(id)
          if (!out.json) out.warn(`Provisional: ${filePath}: ${verdict ?? 'no verdict'}.`)
        }
      }
    }
    const done = `${ended.size} of ${started.length} tests`
    const doing = record.completedAt === null ? ` ${record.filePath}: ${verificationProgress(record).message}` : ''
    out.milestone(`Verified ${done}.${doing}`)
  }
}

function showLine({ id, filePath, verdict, evidence, status, error }: Verification, { out }: Context): void {
  const [why = ''] = (evidence?.summary ?? error?.message ?? '').split('\n')
  const look = verdict === null ? red(status) : looks[verdict](verdict)
  out.line(look, '  ', bold(filePath), `  ${id}  ${inWordsOf('commands', why)}`)
}
