import { useEffect } from 'react'
import { Icon } from '../parts/icon.tsx'
import { dismissNotice, type Notice, useNotices } from './notices.ts'

/** Messages about what the user did, each for some seconds; problems stay until they are dismissed. */
export function NoticeList() {
  const { notices } = useNotices()
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function NoticeItem({ notice: { id, text, kind, undo } }: { notice: Notice }) {
  useEffect(() => {
    if (kind === 'problem') return undefined
    const timer = setTimeout(() => dismissNotice(id), undo ? 10_000 : 5_000)
    return () => clearTimeout(timer)
  }, [id, kind, undo])
  return (
    <div className={`notice ${kind}`}>
      <span>{text}</span>
      {undo ? (
        <button
          type="button"
          className="plain"
          onClick={() => {
            undo()
            dismissNotice(id)
          }}
        >
          Undo
        </button>
      ) : undefined}
      <button type="button" className="plain icon-button" onClick={() => dismissNotice(id)}>
        <Icon name="close" />
        <span className="visually-hidden">Dismiss</span>
      </button>
    </div>
  )
}
