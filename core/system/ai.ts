import { z } from 'zod'
import type { Config } from '../config.ts'
import { readLimited } from '../../engines/network/read-limited.ts'
import type { AiCheck } from './schema.ts'

const ActiveProvider = z.object({ provider: z.string().regex(/^\w{1,50}$/) })
const maxAnswerBytes = 10_000

/** Calls a route that requires the shared secret, so that the check detects a wrong one. */
export async function checkAi({ ai, local }: Config, timeoutMs: number): Promise<AiCheck> {
  const failed = (reachable: boolean, problem: string, advice: string): AiCheck => {
    return { ok: false, problem, advice, reachable, provider: null }
  }
  const where = local ? ` at ${ai.url}` : ''
  const answer = await ask(ai, timeoutMs)
  if (!answer) {
    const advice = local
      ? 'Start it there, or unset AI_SERVICE_URL: npm start then starts its own.'
      : 'Start it, or correct AI_SERVICE_URL.'
    return failed(false, `The AI service does not answer${where}.`, advice)
  }
  const { status, known } = answer
  if (status === 401) {
    return failed(
      true,
      'The AI service refuses the shared secret.',
      'Set the same AI_SERVICE_SECRET for both programs.',
    )
  }
  if (status !== 200 || !known) {
    return failed(
      true,
      `The server${where} is not an AI service of Assay (status ${status}).`,
      'Check AI_SERVICE_URL, and that both programs have the same version.',
    )
  }
  const { provider } = known
  const advice =
    provider === 'mock'
      ? 'The mock provider makes suggestions from rules. To use a model, set PROVIDER_A_API_KEY or PROVIDER_B_API_KEY for the AI service.'
      : null
  return { ok: true, problem: null, advice, reachable: true, provider }
}

async function ask({ url, secret }: Config['ai'], timeoutMs: number) {
  try {
    const response = await fetch(`${url}/provider`, {
      headers: secret ? { authorization: `Bearer ${secret}` } : {},
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = (await readLimited(response, maxAnswerBytes)) ?? ''
    return { status: response.status, known: ActiveProvider.safeParse(parse(text)).data }
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
