import type { ResolvedScope } from '../engines/analysis/schema.ts'

/** Names a scope in one line: `Limited to src, symbol parse, changes since main (2 files).` */
export function describeScope({ paths, since, symbols, baseCommit, files }: ResolvedScope): string {
  const parts = [
    ...(paths ? [named(paths)] : []),
    ...(symbols ? [`${symbols.length === 1 ? 'symbol' : 'symbols'} ${named(symbols)}`] : []),
    ...(since === undefined ? [] : [`changes since ${sinceWhat(since, baseCommit)}`]),
  ]
  return `Limited to ${parts.join(', ')} (${files === 1 ? '1 file' : `${files.toLocaleString('en')} files`}).`
}

const maxNamed = 3

const named = (names: readonly string[]) =>
  `${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''}`

function sinceWhat(since: string, baseCommit: string | undefined): string {
  if (baseCommit === undefined) return since
  const short = baseCommit.slice(0, 7)
  return baseCommit.startsWith(since) ? short : `${since}, from ${short} on`
}
