import { isUtf8 } from 'node:buffer'
import type { Context } from '../base/context.ts'
import { AppError, invalid, unauthorized, unavailable } from '../base/errors.ts'
import { pickMembers, type Picked, type Wanted } from '../../engines/json/pick.ts'
import { limitOwners } from '../base/limit-concurrency.ts'
import { formField } from './form-field.ts'
import type { Received } from './schema.ts'
import { jsonError } from '../http/body.ts'
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

/** Far deeper than any payload of a code host. */
const maxDepth = 1_000

/** A large delivery takes half a second. Senders take turns, so that one cannot hold up the others. */
const inTurn = limitOwners(2, 1)

/**
 * Reads the payload of a body: JSON, or a form with JSON in its field `payload`, which code hosts also offer. Reads only
 * the members that Assay uses, and lets other requests go on meanwhile: a push of thousands of commits has hundreds of
 * thousands of values.
 *
 * @param sender - who shares the turns
 * @param wanted - the members to read
 */
export async function readPayload(
  body: Buffer,
  contentType: string | undefined,
  { sender, wanted }: { sender: string; wanted: Wanted },
): Promise<Picked> {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the header Content-Type: application/json.')
  }
  if (!isUtf8(body)) throw invalid('The body is not UTF-8.')
  return inTurn(sender, async () => {
    const json = type === 'application/json' ? body : await formField(body, 'payload')
    const payload = await pickMembers(json, wanted, { maxDepth }).catch((error: unknown) => {
      throw jsonError(error)
    })
    if (!payload) throw invalid('The payload must be a JSON object.')
    return payload
  })
}
