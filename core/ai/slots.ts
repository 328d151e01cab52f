import { rateLimited } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

const maxPerOwner = 8
const retryAfterSeconds = 5

const taken = new Map<string, number>()

/**
 * Takes a slot for a call to the AI service until it is disposed. The calls of this process are limited per
 * organization, or per user for personal projects, so that one owner does not block the others.
 *
 * @throws AppError 429 if all slots of the owner are taken
 */
export function takeAiTurn({ organizationId, userId }: Pick<ProjectRow, 'organizationId' | 'userId'>): Disposable {
  const owner = organizationId ?? userId
  const own = taken.get(owner) ?? 0
  if (own >= maxPerOwner) {
    const projects = organizationId === null ? 'your projects' : 'the projects of this organization'
    throw rateLimited(
      `The AI service is working on ${own} calls for ${projects}, which is the maximum. Try again when one of them has completed.`,
      retryAfterSeconds,
    )
  }
  taken.set(owner, own + 1)
  return {
    [Symbol.dispose]() {
      const left = (taken.get(owner) ?? 1) - 1
      if (left > 0) taken.set(owner, left)
      else taken.delete(owner)
    },
  }
}
