import { useEffect, useRef } from 'react'

/** What keys do, by key (`/`), by modifier and key (`mod+k`), or by two keys in a row (`g h`). */
type Bindings = Readonly<Record<string, () => void>>

const sequenceMs = 1_200

/** Binds keys of the whole page, except while the user types in a field or a dialog is open. */
export function useKeys(bindings: Bindings): void {
  const latest = useRef(bindings)
  latest.current = bindings
  useEffect(() => {
    let before: { key: string; at: number } | undefined
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return
      const isCommand = event.metaKey || event.ctrlKey
      if (!isCommand && isTyping(event.target)) return
      const key = isCommand ? `mod+${event.key.toLowerCase()}` : event.key
      const sequence = before && event.timeStamp - before.at < sequenceMs ? `${before.key} ${key}` : undefined
      const action = (sequence && latest.current[sequence]) || latest.current[key]
      before = action ? undefined : { key, at: event.timeStamp }
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog, [contenteditable]') !== null
}
