import { z } from 'zod'
import { AnalysisScope } from '../../engines/analysis/schema.ts'

/** The arguments that limit a tool to a part of the repository. */
export const ScopeArguments = {
  paths: AnalysisScope.shape.paths.describe('Files, folders, globs'),
  since: AnalysisScope.shape.since.describe('Only code changed since this branch, tag or commit'),
  symbols: AnalysisScope.shape.symbols,
}

export const Measure = z.boolean().optional().describe('Run the tests first for missing coverage')

/** What an answer says where coverage was not measured. */
export const howToMeasure = 'Call again with measure: true to run the tests and measure it.'

/** Returns undefined where the arguments do not limit the tool. */
export function scopeOf({ paths, since, symbols }: AnalysisScope): AnalysisScope | undefined {
  if (paths === undefined && since === undefined && symbols === undefined) return undefined
  return { ...(paths && { paths }), ...(since !== undefined && { since }), ...(symbols && { symbols }) }
}
