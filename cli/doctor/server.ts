import { z } from 'zod'
import packageInfo from '../../package.json' with { type: 'json' }
import { type CoreClient, coreFailure } from '../../client/core-client.ts'
import type { Check, Queues, SystemStatus } from '../../core/system/schema.ts'
import { type Destination, explainFailure, howToReach } from '../failure.ts'
import { type Finding, good, note, problem } from './finding.ts'

const patienceMs = 5_000
const mostSkewMs = 60_000

const Health = z.object({ ok: z.literal(true) })

/** Whether core answers at an address at all, and what time it has. */
export async function findServer(
  to: Destination,
  interrupted: AbortSignal,
): Promise<{ isThere: boolean; findings: Finding[] }> {
  const { baseUrl } = to
  const { protocol, hostname } = new URL(baseUrl)
  const advice = howToReach(to)
  let response: Response
  try {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(patienceMs)])
    response = await fetch(`${baseUrl}/health`, { signal })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!Health.safeParse(answer).success) {
      return { isThere: false, findings: [problem('server', `What answers at ${baseUrl} is not Assay.`, advice)] }
    }
  } catch (error) {
    interrupted.throwIfAborted()
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    const what = isLate ? `did not answer within ${patienceMs / 1_000} s` : 'does not answer'
    return { isThere: false, findings: [problem('server', `Assay ${what} at ${baseUrl}.`, advice)] }
  }
  const findings = [good('server', `Assay answers at ${baseUrl}.`)]
  if (protocol === 'http:' && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) {
    findings.push(note('server', 'Whoever is on the way there can read the token.', 'Use https.'))
  }
  const skew = Date.now() - Date.parse(response.headers.get('date') ?? '')
  if (Math.abs(skew) > mostSkewMs) {
    const text = `This machine's clock is ${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'ahead of' : 'behind'} the server's.`
    findings.push(note('clock', text, 'Set it: lifetimes and times that are shown are wrong.'))
  }
  return { isThere: true, findings }
}

/** What core says of itself and of what it needs. */
export async function examineServer(core: CoreClient, to: Destination): Promise<Finding[]> {
  let status: SystemStatus
  try {
    status = await core.system.status.query()
  } catch (error) {
    const failure = coreFailure(error)
    if (!failure) throw error
    const { message } = explainFailure(failure, to)
    return [note('version', `The server does not tell how it is: ${message}`, 'An older server cannot; update it.')]
  }
  const { version, database, storage, ai, executor, queue, queues } = status
  const own = packageInfo.version
  return [
    version === own
      ? good('version', `${version}, as this program.`)
      : note('version', `The server has ${version}, this program ${own}.`, 'Use the same of both.'),
    fromCheck('database', database, 'It answers.'),
    fromCheck('storage', storage, `Files are kept in ${storage.kind === 's3' ? 'S3' : 'a folder'}.`),
    fromCheck('AI', ai, `Suggestions come from ${ai.provider ?? 'nobody'}.`),
    fromCheck('executor', executor, executor.description ?? executor.name ?? 'Tests run elsewhere.'),
    ...queueFinding(queues ?? (queue && { runs: queue })),
  ]
}

/** An older server counts its test runs alone. */
function queueFinding(queues: Partial<Queues> | null): Finding[] {
  if (!queues) return []
  const busy = Object.entries(queues).filter(([, { running, waiting }]) => running + waiting > 0)
  const counts = busy.map(([name, { running, waiting }]) => `${name}: ${running} running, ${waiting} waiting`)
  return [good('queue', counts.length > 0 ? `${counts.join('; ')}.` : 'Nothing is running or waiting.')]
}

function fromCheck(about: string, { ok, problem: text, advice }: Check, detail: string): Finding {
  if (!ok) return problem(about, text ?? 'It does not work.', advice ?? "See the server's log.")
  return advice === null ? good(about, detail) : note(about, detail, advice)
}
