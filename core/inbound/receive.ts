import { TextDecoder } from 'node:util'
import type { Context } from '../base/context.ts'
import { AppError, invalid, unauthorized, unavailable } from '../base/errors.ts'
import { parseJson } from '../http/body.ts'
import type { Received } from './schema.ts'
import type { NewDelivery } from './intake.ts'

/** The same error for a wrong signature, a missing signature and an unknown project. */
export const notSigned = () => unauthorized('The signature of the delivery is missing or not valid.')

/** Why a project's receiver does nothing with a delivery that is signed. */
export const otherRepository = "The delivery is of another repository than the project's."

/** Stores a delivery with a valid signature. If that fails, the error asks the sender to deliver it again. */
export async function acceptDelivery(ctx: Context, delivery: NewDelivery): Promise<Received> {
  const { duplicate } = await reachingDatabase(() => ctx.intake.store(delivery))
  return {
    received: true,
    processedAt: ctx.now().toISOString(),
    ...(duplicate ? { duplicate } : {}),
    ...(delivery.ignored === otherRepository ? { ignored: 'other_repository' } : {}),
  }
}

/** @throws AppError 503 if the database fails */
export async function reachingDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw unavailable('The server cannot accept this delivery right now. Send it again in a minute.', 60, {
      cause: error,
    })
  }
}

/** Parses the payload of a body: JSON, or a form with JSON in its field `payload`, which code hosts also offer. */
export function readPayload(body: Buffer, contentType: string | undefined): object {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return parseObject(decode(body))
  if (type === 'application/x-www-form-urlencoded') {
    return parseObject(new URLSearchParams(decode(body)).get('payload') ?? '')
  }
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the header Content-Type: application/json.')
}

function parseObject(text: string): object {
  // No limit on the number of values: a push of thousands of commits has hundreds of thousands.
  const payload = parseJson(text, Number.POSITIVE_INFINITY)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalid('The payload must be a JSON object.')
  }
  return payload
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw invalid('The body is not UTF-8.', { cause: error })
  }
}
