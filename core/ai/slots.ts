import { rateLimited } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'

const mostOfOwner = 8
const retryAfterSeconds = 5

const taken = new Map<string, number>()

/**
 * Takes a place among the calls to the AI service that this process makes for an organization, or for a user's own
 * projects, until it is disposed: each costs money, and nobody is to keep the others from it.
 *
 * @throws AppError 429 where as many are under way as one may have
 */
export function takeAiTurn({ organizationId, userId }: Pick<ProjectRow, 'organizationId' | 'userId'>): Disposable {
  const owner = organizationId ?? userId
  const own = taken.get(owner) ?? 0
  if (own >= mostOfOwner) {
    const whose = organizationId === null ? 'your projects' : 'the projects of this organization'
    throw rateLimited(
      `The AI service is working on ${own} calls for ${whose} already, which is as many as may be. Try again when one of them has been answered.`,
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
