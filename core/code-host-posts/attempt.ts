import type { CodeHostApi } from '../code-host/hosts/api.ts'
import { isUnclear } from '../code-host/rest-client.ts'

export interface Known {
  /** When a call began that may have an effect although its answer did not arrive; ISO 8601. */
  unclear: string | null
}

/** The attempt to post a version of a report or comment. `Its` is what Assay knows of the object at the code host. */
export interface Attempt<Its extends Known> {
  host: CodeHostApi
  version: number
  known: Its
  now: () => Date
  /** Stores what is known now, so that it survives this process. */
  remember: (change: Partial<Its>) => Promise<void>
}

/** Thrown to continue later; this is not a failure. */
export class PostLater extends Error {
  override name = 'PostLater'
  readonly seconds: number
  constructor(seconds: number) {
    super(`Continue in ${seconds} seconds.`)
    this.seconds = seconds
  }
}

/** Longer than a call may take. After this time a call has had its effect, or will have none. */
const settledMs = 15_000

/**
 * Makes a call that changes something at the code host. While an earlier call may still have its effect, it does not:
 * a second object would be created, or an earlier state would arrive last.
 *
 * @throws PostLater
 */
export async function change<Its extends Known, Result>(
  {
    known,
    now,
    remember,
  }: Pick<Attempt<Its>, 'known' | 'now'> & { remember: (change: Partial<Known>) => Promise<void> },
  call: () => Promise<Result>,
): Promise<Result> {
  const leftMs = known.unclear === null ? 0 : Date.parse(known.unclear) + settledMs - now().getTime()
  if (leftMs > 0) throw new PostLater(Math.ceil(leftMs / 1_000))
  await remember({ unclear: now().toISOString() })
  try {
    const result = await call()
    await remember({ unclear: null })
    return result
  } catch (error) {
    if (!isUnclear(error)) await remember({ unclear: null })
    throw error
  }
}
