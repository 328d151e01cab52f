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
  /** Another tab has signed in someone else. */
  hasUserChanged: boolean
}

let state: State = { notices: [], hasSessionEnded: false, hasUserChanged: false }
let lastId = 0
const listeners = new Set<() => void>()

function change(next: Partial<State>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

export function announce(text: string, undo?: () => void): void {
  add({ text, kind: 'done', undo })
}

export function announceProblem(text: string): void {
  add({ text, kind: 'problem' })
}

/** The same notice again replaces the one before. */
function add(notice: Omit<Notice, 'id'>): void {
  const others = state.notices.filter(({ text }) => text !== notice.text)
  change({ notices: [...others.slice(-3), { ...notice, id: ++lastId }] })
}

export function dismissNotice(id: number): void {
  change({ notices: state.notices.filter((notice) => notice.id !== id) })
}

/** Asks the user to sign in again. What the page shows stays. */
export function sessionEnded(): void {
  if (!state.hasSessionEnded) change({ hasSessionEnded: true })
}

/** Asks the user to reload the page, which is still that of the user before. */
export function userChanged(): void {
  if (!state.hasUserChanged) change({ hasUserChanged: true })
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
