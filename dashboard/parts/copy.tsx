import { useState } from 'react'
import { Icon } from './icon.tsx'

/** A button that copies text. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" className="plain copy" onClick={() => void copy()}>
      <Icon name={isCopied ? 'passed' : 'copy'} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  )
}

/** A block of text to copy: a command or a configuration, whose long lines scroll, or prose, which wraps. */
export function Snippet({ text, label, isProse }: { text: string; label: string; isProse?: boolean }) {
  return (
    <div className={isProse ? 'snippet prose-snippet' : 'snippet'}>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <Copy text={text} />
    </div>
  )
}

/** The first characters of a commit id, with the whole id in the title. */
export function Commit({ sha }: { sha: string | null | undefined }) {
  return sha ? (
    <code className="sha" title={sha}>
      {sha.slice(0, 8)}
    </code>
  ) : (
    <span className="quiet">–</span>
  )
}
