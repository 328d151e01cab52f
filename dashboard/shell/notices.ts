import { useSyncExternalStore } from 'react'

/** A message about something that the user did. */
export interface Notice {
  id: number
  text: string
  kind: 'done' | 'problem'
  undo?: (() => void) | undefined
}

interface State {
  notices: readonly Notice[]
  hasSessionEnded: boolean
}

let state: State = { notices: [], hasSessionEnded: false }
let lastId = 0
const listeners = new Set<() => void>()

function change(next: Partial<State>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

export function announce(text: string, undo?: () => void): void {
  change({ notices: [...state.notices.slice(-3), { id: ++lastId, text, kind: 'done', undo }] })
}

export function announceProblem(text: string): void {
  change({ notices: [...state.notices.slice(-3), { id: ++lastId, text, kind: 'problem' }] })
}

export function dismissNotice(id: number): void {
  change({ notices: state.notices.filter((notice) => notice.id !== id) })
}

/** Asks the user to sign in again. What the page shows stays. */
export function sessionEnded(): void {
  if (!state.hasSessionEnded) change({ hasSessionEnded: true })
}

export function useNotices(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}
