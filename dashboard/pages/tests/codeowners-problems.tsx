import type { Outputs } from '../../api.ts'
import { Prose } from '../../parts/prose.tsx'

/** Names the parts of the CODEOWNERS file that have no effect, so that owners are not missing silently. */
export function CodeownersProblems({ of }: { of: Outputs['tests']['list']['codeowners'] }) {
  if (of === null || of.problems.length === 0) return undefined
  return (
    <details>
      <summary>Parts of {of.path} have no effect</summary>
      <ul>
        {of.problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line === null ? undefined : `Line ${line}: `}
            <Prose text={message} />
          </li>
        ))}
      </ul>
    </details>
  )
}
