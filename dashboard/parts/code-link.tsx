import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ShortText } from './long-text.tsx'

interface CodeLinkProps {
  projectId: string
  path: string
  line?: number | null | undefined
  /** Which state of the file, by its run, commit or snapshot. */
  run?: string | undefined
  commit?: string | null | undefined
  snapshot?: string | null | undefined
  children?: ReactNode
}

/** A link to a file, or to one of its lines, in the code view. */
export function CodeLink({ projectId, path, line, run, commit, snapshot, children }: CodeLinkProps) {
  const search = { path, line: line ?? undefined, run, commit: commit ?? undefined, snapshot: snapshot ?? undefined }
  return (
    <Link to="/projects/$projectId/code" params={{ projectId }} search={search as never} preload={false}>
      {children ?? (
        <code>
          <ShortText text={line ? `${path}:${line}` : path} />
        </code>
      )}
    </Link>
  )
}
