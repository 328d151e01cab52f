import { useSyncExternalStore } from 'react'

/** The width below which `styles/cards.css` shows rows of tables as cards. */
const narrow = window.matchMedia('(max-width: 40rem)')

const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Returns whether the window is as narrow as a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
