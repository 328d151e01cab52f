import { ReportError, type ReportSource } from './report.ts'

/** The fields of a line of `go test -json` that the reader uses. */
export interface GoEvent {
  action: string
  package: string
  test: string
  output: string
  elapsedMs: number | null
  importPath: string
  failedBuild: string
}

/** Characters; looking for the parents of a name costs time for each of its parts. */
const maxName = 4_000

/**
 * @returns null for a line that is not an event: the go command prints its own lines between events
 * @throws ReportError `malformed` for an event with a value of the wrong type
 */
export function parseGoEvent(line: string, number: number, source: ReportSource): GoEvent | null {
  if (!line.startsWith('{')) return null
  const value = parseOrNull(line)
  if (value === null || typeof value !== 'object' || !('Action' in value)) return null
  const fields: Record<string, unknown> = { ...value }
  const text = (name: string) => {
    const field = fields[name] ?? ''
    if (typeof field === 'string') return field
    throw new ReportError('malformed', source.name, `${name}: expected text, got ${typeof field}`, number)
  }
  const elapsed = fields['Elapsed'] ?? null
  if (elapsed !== null && typeof elapsed !== 'number') {
    throw new ReportError('malformed', source.name, `Elapsed: expected number, got ${typeof elapsed}`, number)
  }
  return {
    action: text('Action'),
    package: text('Package').slice(0, maxName),
    test: text('Test').slice(0, maxName),
    output: text('Output'),
    elapsedMs: elapsed === null || elapsed < 0 ? null : elapsed * 1_000,
    importPath: text('ImportPath').slice(0, maxName),
    failedBuild: text('FailedBuild').slice(0, maxName),
  }
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
