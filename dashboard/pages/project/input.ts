import { type Given, oneOfParam, textParam } from '../../search-params.ts'

export const periods = ['7', '30', '90', '365'] as const

interface Search {
  branch?: string | undefined
  days?: (typeof periods)[number] | undefined
}

export const readSearch = (given: Given): Search => ({
  branch: textParam(given['branch']),
  days: oneOfParam(given['days'], periods),
})

export const trendsInput = (projectId: string, { branch, days }: Search) => ({
  projectId,
  branch,
  days: Number(days ?? 30),
})
