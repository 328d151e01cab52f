import { checkAi } from '../core/system/ai.ts'
import type { AiConfig } from '../ai-service/config.ts'
import type { Config } from '../core/config.ts'

const maxWaitMs = 2_000

/**
 * Decides whether the launcher starts the AI service: `AI_SERVICE_URL` is unset, or it names the address that the
 * launcher's own AI service gets and none runs there yet.
 */
export async function startsOwnAi(core: Config, ai: AiConfig, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (!environment['AI_SERVICE_URL']) return true
  return isOwnAddress(core.ai.url, ai.port) && !(await checkAi(core, maxWaitMs)).reachable
}

/** Says what is wrong with the AI service that `AI_SERVICE_URL` names; undefined if it works. */
export async function problemOfForeignAi(core: Config): Promise<string | undefined> {
  const { problem, advice } = await checkAi(core, maxWaitMs)
  return problem === null ? undefined : `${problem} ${advice ?? ''}`.trim()
}

/** The launcher's own AI service listens on 127.0.0.1 only. */
export function isOwnAddress(url: string, aiPort: number): boolean {
  const { protocol, hostname, port, pathname } = new URL(url)
  return (
    protocol === 'http:' &&
    ['127.0.0.1', 'localhost'].includes(hostname) &&
    Number(port || 80) === aiPort &&
    pathname === '/'
  )
}
