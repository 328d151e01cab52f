import { type Attempt, change, type Known } from './attempt.ts'
import type { Report } from './schema.ts'

export interface KnownStatus extends Known {
  /** The version that an attempt began to post. */
  begun: number | null
}

/** Posts a report as a commit status, unless an earlier attempt has posted it. */
export async function sendStatus(attempt: Attempt<KnownStatus>, report: Report): Promise<void> {
  const { host, version, known } = attempt
  const { commitSha, context, state, title, targetUrl } = report
  const status = { commitSha, context, state, description: title, targetUrl }
  if (known.begun === version && (await host.hasStatus(status))) return
  await attempt.remember({ begun: version })
  await change(attempt, () => host.postStatus(status))
}
