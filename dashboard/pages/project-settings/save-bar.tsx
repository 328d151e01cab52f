import { LeaveGuard } from './leave-guard.tsx'

interface SaveProps {
  isChanged: boolean
  isSaving: boolean
  mayChange: boolean
  onReset: () => void
}

/** The buttons at the end of a form of settings. They guard its unsaved changes. */
export function SaveBar({ isChanged, isSaving, mayChange, onReset }: SaveProps) {
  return (
    <div className="row">
      <button type="submit" disabled={!isChanged || isSaving || !mayChange}>
        Save
      </button>
      <button type="button" className="plain" disabled={!isChanged || isSaving} onClick={onReset}>
        Discard changes
      </button>
      <span className="hint" role="status">
        {isChanged ? 'Not saved yet' : ''}
      </span>
      <LeaveGuard isChanged={isChanged} />
    </div>
  )
}
