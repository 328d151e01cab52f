import { Link } from '@tanstack/react-router'
import { ShortText } from './long-text.tsx'
import { parseRanges } from './ranges.ts'

/** The files that a link leads to: those of a commit or of a snapshot; without both, of the latest analysis. */
export interface CodeOf {
  projectId: string
  /** The run whose coverage is shown. */
  run?: string | undefined
  commitSha?: string | null | undefined
  snapshotId?: string | null | undefined
}

interface CodeLinkProps extends CodeOf {
  path: string
  line?: number | null | undefined
  text?: string | undefined
}

/** A link to a line of code in the code view. */
export function CodeLink({ projectId, run, commitSha, snapshotId, path, line, text }: CodeLinkProps) {
  const at = line === null || line === undefined ? path : `${path}:${line}`
  return (
    <Link
      to="/projects/$projectId/code"
      params={{ projectId }}
      search={{
        path,
        run,
        ...(snapshotId ? { snapshot: snapshotId } : commitSha ? { commit: commitSha } : {}),
        ...(line ? { line } : {}),
      }}
      preload={false}
      className="code-link"
    >
      {text ?? (
        <code>
          <ShortText text={at} />
        </code>
      )}
    </Link>
  )
}

const shownRanges = 12

/** Ranges of lines such as `3-7,12`, each with a link. */
export function LineLinks({ ranges, path, of }: { ranges: string; path: string; of: CodeOf }) {
  const all = parseRanges(ranges)
  if (all.length === 0) return <span className="quiet">none</span>
  const links = all
    .slice(0, shownRanges)
    .map(([from, to]) => (
      <CodeLink key={from} {...of} path={path} line={from} text={from === to ? String(from) : `${from}–${to}`} />
    ))
  return (
    <span className="line-links number">
      {links}
      {all.length > shownRanges ? <span className="quiet">and {all.length - shownRanges} more</span> : undefined}
    </span>
  )
}
