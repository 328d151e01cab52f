/** The CI systems that there are steps for. */
export const ciNames = ['github', 'gitlab', 'jenkins', 'buildkite', 'circleci', 'shell'] as const

export type CiName = (typeof ciNames)[number]
