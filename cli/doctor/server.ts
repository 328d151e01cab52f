import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import packageInfo from '../../package.json' with { type: 'json' }
import { type CoreClient, coreFailure } from '../../client/core-client.ts'
import type { Check, Queues, SystemStatus } from '../../core/system/schema.ts'
import { type Destination, howToReach } from '../../client/explain-failure.ts'
import { explainFailure } from '../failure.ts'
import { type Finding, good, note, problem } from './finding.ts'

const timeoutMs = 5_000
const maxSkewMs = 60_000
/** The server checks its sandbox for some seconds after its start. */
const maxPendingMs = 30_000

const Health = z.object({ ok: z.literal(true) })

/** Checks that core answers at an address, and compares the clocks. */
export async function findServer(
  to: Destination,
  interrupted: AbortSignal,
): Promise<{ isThere: boolean; findings: Finding[] }> {
  const { baseUrl } = to
  const { protocol, hostname } = new URL(baseUrl)
  const advice = howToReach(to)
  let response: Response
  try {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)])
    response = await fetch(`${baseUrl}/health`, { signal })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!Health.safeParse(answer).success) {
      return { isThere: false, findings: [problem('server', `The server at ${baseUrl} is not Assay.`, advice)] }
    }
  } catch (error) {
    interrupted.throwIfAborted()
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const what = isLate ? `did not answer within ${timeoutMs / 1_000} s` : 'does not answer'
    return { isThere: false, findings: [problem('server', `Assay ${what} at ${baseUrl}.`, advice)] }
  }
  const findings = [good('server', `Assay answers at ${baseUrl}.`)]
  if (protocol === 'http:' && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) {
    findings.push(note('server', 'The connection is not encrypted, so others can read the token.', 'Use https.'))
  }
  const skew = Date.now() - Date.parse(response.headers.get('date') ?? '')
  if (Math.abs(skew) > maxSkewMs) {
    const text = `This machine's clock is ${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'ahead of' : 'behind'} the server's.`
    findings.push(note('clock', text, 'Correct the clock: times and lifetimes are wrong until then.'))
  }
  return { isThere: true, findings }
}

/** Reports the status of core and of the services that it uses. */
export async function examineServer(core: CoreClient, to: Destination, interrupted: AbortSignal): Promise<Finding[]> {
  let status: SystemStatus
  try {
    status = await readStatus(core, interrupted)
  } catch (error) {
    const failure = coreFailure(error)
    if (!failure) throw error
    const { message } = explainFailure(failure, to)
    return [
      note(
        'version',
        `The server did not report its status: ${message}`,
        'Update the server if it is older than this program.',
      ),
    ]
  }
  const { version, database, storage, ai, executor, queue, queues } = status
  const own = packageInfo.version
  return [
    version === own
      ? good('version', `The server and this program have version ${version}.`)
      : note('version', `The server has version ${version}, this program ${own}.`, 'Use the same version.'),
    fromCheck('database', database, 'The database answers.'),
    fromCheck('storage', storage, `Files are stored in ${storage.kind === 's3' ? 'S3' : 'a folder'}.`),
    fromCheck('AI', ai, `The provider is ${ai.provider ?? 'unknown'}.`),
    executor.pending
      ? note('executor', executor.problem ?? 'Its check is still running.', executor.advice)
      : fromCheck('executor', executor, executor.description ?? executor.name ?? 'Other processes run the tests.'),
    ...queueFinding(queues ?? (queue && { runs: queue })),
  ]
}

/** Waits for the check of the sandbox, but not forever. */
async function readStatus(core: CoreClient, interrupted: AbortSignal): Promise<SystemStatus> {
  const deadline = performance.now() + maxPendingMs
  for (;;) {
    const status = await core.system.status.query()
    if (!status.executor.pending || performance.now() > deadline) return status
    await sleep(500, undefined, { signal: interrupted })
  }
}

/** An older server counts test runs only. */
function queueFinding(queues: Partial<Queues> | null): Finding[] {
  if (!queues) return []
  const busy = Object.entries(queues).filter(([, { running, waiting }]) => running + waiting > 0)
  const counts = busy.map(([name, { running, waiting }]) => `${name}: ${running} running, ${waiting} waiting`)
  return [good('queue', counts.length > 0 ? `${counts.join('; ')}.` : 'Nothing is running or waiting.')]
}

function fromCheck(about: string, { ok, problem: text, advice }: Check, detail: string): Finding {
  if (!ok) return problem(about, text ?? 'It does not work.', advice ?? "Read the server's log.")
  return advice === null ? good(about, detail) : note(about, detail, advice)
}
