import { z } from 'zod'
import { AnswerTooLarge } from './clients/bounded-fetch.ts'
import { statusOf } from './clients/plain-json.ts'
import { oneLine } from '../repository/safe-text.ts'
import type { Redact } from '../secrets.ts'

/**
 * Explains to the operator why a provider gave no usable answer. The message goes to callers, so it contains no text of
 * the provider, which could repeat the key in a form that the redaction does not recognize.
 */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  /** True if a retry may succeed. */
  readonly isTemporary: boolean
  /** The wait that the provider requests. */
  readonly retryAfterMs: number | undefined
  /** The message of the provider, redacted and shortened, for the log. */
  readonly detail: string | undefined

  constructor(
    message: string,
    about: { isTemporary?: boolean; retryAfterMs?: number | undefined; detail?: string } = {},
  ) {
    super(message)
    this.isTemporary = about.isTemporary ?? false
    this.retryAfterMs = about.retryAfterMs
    this.detail = about.detail
  }
}

interface Asked {
  provider: string
  model: string
  redact: Redact
}

/** 529 means overloaded at Anthropic. */
const temporaryStatuses = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529])

/**
 * Describes an error of a provider's package. Does not keep the error itself, because it contains headers and bodies, and
 * a body may repeat the key.
 */
export function describeFailure(error: unknown, asked: Asked): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  const setting = asked.provider.toUpperCase()
  const detail = oneLine(asked.redact(chainOf(error).join(': ')), 500)
  if (isOrHas(error, AnswerTooLarge)) {
    return new ProviderFailure(`${asked.provider} sent an answer larger than 4 MiB, which is the maximum.`)
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return new ProviderFailure(`${asked.provider} sent an answer in an unknown format. Check ${setting}_BASE_URL.`, {
      isTemporary: true,
      detail,
    })
  }
  const status = statusOf(error)
  if (status === undefined) {
    return new ProviderFailure(
      `${asked.provider} is unreachable or closed the connection. Check ${setting}_BASE_URL and the network.`,
      { isTemporary: true, detail },
    )
  }
  const about = { isTemporary: temporaryStatuses.has(status), retryAfterMs: retryAfterOf(error), detail }
  if (status === 401 || status === 403) {
    return new ProviderFailure(`${asked.provider} refused the key (${status}). Check ${setting}_API_KEY.`, about)
  }
  if (status === 404) {
    return new ProviderFailure(
      `${asked.provider} does not know the model ${asked.model} or the address. Check ${setting}_MODEL and ` +
        `${setting}_BASE_URL.`,
      about,
    )
  }
  if (status === 429) return new ProviderFailure(`${asked.provider} is rate limiting requests (429).`, about)
  if (about.isTemporary)
    return new ProviderFailure(`${asked.provider} is unavailable (${status}). Try again later.`, about)
  return new ProviderFailure(
    `${asked.provider} refused the request (${status}). Check ${setting}_MODEL and ${setting}_INPUT_TOKENS. The log of ` +
      'the AI service has its message.',
    about,
  )
}

/** Returns the messages of an error and its causes, the outermost first. */
function chainOf(error: unknown): string[] {
  const texts: string[] = []
  for (let current = error; current instanceof Error && texts.length < 5; current = current.cause) {
    texts.push(current.message)
  }
  return texts.length > 0 ? texts : [String(error)]
}

function isOrHas(error: unknown, kind: typeof AnswerTooLarge): boolean {
  return error instanceof kind || (error instanceof Error && error.cause !== undefined && isOrHas(error.cause, kind))
}

/** Reads `Retry-After` in seconds or as a date, or OpenAI's header in milliseconds. */
function retryAfterOf(error: unknown): number | undefined {
  const headers = error instanceof Error && 'headers' in error ? error.headers : undefined
  if (!(headers instanceof Headers)) return undefined
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (exact >= 0) return exact
  const given = headers.get('retry-after') ?? ''
  const seconds = Number.parseFloat(given)
  const wait = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1_000
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
