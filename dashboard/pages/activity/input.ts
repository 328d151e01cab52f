import { type Given, oneOfParam } from '../../search-params.ts'

export const kinds = [
  'suggestion',
  'generated_test',
  'verification',
  'change',
  'strength',
  'run',
  'analysis',
  'snapshot',
] as const

interface Search {
  kind?: (typeof kinds)[number] | undefined
  days?: '30' | '90' | '365' | undefined
}

export const readSearch = (given: Given): Search => ({
  kind: oneOfParam(given['kind'], kinds),
  days: oneOfParam(given['days'], ['30', '90', '365']),
})

export const activityInput = (projectId: string, { kind }: Search) => ({
  projectId,
  ...(kind ? { kinds: [kind] } : {}),
  limit: 50,
})
