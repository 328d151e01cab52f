import type { AnalysisResult, Finding } from '../schema.ts'

const maxFindings = 50
const maxName = 200
const kinds = ['undeclared_import', 'unread_parameter', 'dead_export'] as const

/** The first findings, in a stable order, with the number of the others. */
export function listFindings(all: readonly Finding[]): Pick<AnalysisResult, 'findings' | 'moreFindings'> {
  const sorted = all
    .filter(({ name }) => name.length <= maxName)
    .toSorted(
      (a, b) =>
        kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
        (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
        a.line - b.line ||
        (a.name < b.name ? -1 : 1),
    )
  return {
    findings: sorted.slice(0, maxFindings),
    ...(sorted.length > maxFindings && { moreFindings: sorted.length - maxFindings }),
  }
}
