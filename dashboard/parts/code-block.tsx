import { useState } from 'react'
import { Copy } from './copy.tsx'
import { formatCount } from './number-text.ts'
import '../styles/code-block.css'

interface CodeBlockProps {
  /** The name for screen readers, such as `Code of the test`. */
  label: string
  text: string
  /** The number of the first line; without it, lines have no numbers. */
  firstLine?: number
  /** The number of each line, for lines that do not follow each other. */
  numbers?: readonly number[]
  /** The first lines are shown until the user asks for all. */
  maxLines?: number
  /** Lines to emphasize. */
  marked?: ReadonlySet<number>
}

const maxLineLength = 2_000

/** Code or output as text, with its line numbers. Long texts and lines are cut until the user asks for all. */
export function CodeBlock({ label, text, firstLine, numbers, maxLines = 200, marked }: CodeBlockProps) {
  const [isWhole, setWhole] = useState(false)
  const lines = text.replace(/\n$/, '').split('\n')
  const isCut = !isWhole && (lines.length > maxLines || lines.some((line) => line.length > maxLineLength))
  const shown = isCut ? lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength)) : lines
  return (
    <div className="code-block">
      <div className="code-scroll" tabIndex={0} role="region" aria-label={label}>
        {numbers === undefined && firstLine === undefined ? undefined : (
          <pre className="code-numbers" aria-hidden="true">
            {shown.map((_, index) => `${numbers?.[index] ?? (firstLine ?? 1) + index}\n`).join('')}
          </pre>
        )}
        <pre className="code-text" dir="ltr">
          {marked && firstLine !== undefined
            ? shown.map((line, index) => (
                <span key={index} className={marked.has(firstLine + index) ? 'code-marked' : undefined}>
                  {line}
                  {'\n'}
                </span>
              ))
            : shown.join('\n')}
        </pre>
      </div>
      <div className="row code-actions">
        <Copy text={text} />
        {isCut ? (
          <button type="button" className="plain" onClick={() => setWhole(true)}>
            Show all {formatCount(lines.length)} lines
          </button>
        ) : undefined}
      </div>
    </div>
  )
}
