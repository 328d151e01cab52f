import type { OpenedSource } from './source.ts'

/**
 * Who is responsible for the code of a commit: the project, if a branch or tag of the repository contains the commit, or
 * a stranger, who could only propose it. What runs of a stranger's commit leave behind is used by runs of the same commit
 * only.
 */
export type Trust = 'project' | `stranger:${string}`

export const isStranger = (trust: Trust): boolean => trust !== 'project'

/** @param whyUntrusted - the reason why the commit is a stranger's; null if it belongs to the project */
export const trustIn = ({ commitSha }: Pick<OpenedSource, 'commitSha'>, whyUntrusted: string | null): Trust =>
  whyUntrusted === null ? 'project' : `stranger:${commitSha}`
