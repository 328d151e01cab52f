import { useSyncExternalStore } from 'react'

/** What a user chooses for this browser, with the first value as the default. */
const choices = {
  times: ['relative', 'absolute'],
  log: ['wrapped', 'unwrapped'],
} as const

type Name = keyof typeof choices
type Choice<Key extends Name> = (typeof choices)[Key][number]

const listeners = new Set<() => void>()

function read<Key extends Name>(name: Key): Choice<Key> {
  const stored = localStorage.getItem(`assay.${name}`)
  return choices[name].find((choice) => choice === stored) ?? choices[name][0]
}

export function changeSetting<Key extends Name>(name: Key, value: Choice<Key>): void {
  localStorage.setItem(`assay.${name}`, value)
  for (const listener of listeners) listener()
}

/** Reads and changes a setting of this browser, also when another tab changes it. */
export function useSetting<Key extends Name>(name: Key): [Choice<Key>, (value: Choice<Key>) => void] {
  const value = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      window.addEventListener('storage', listener)
      return () => {
        listeners.delete(listener)
        window.removeEventListener('storage', listener)
      }
    },
    () => read(name),
  )
  return [value, (next) => changeSetting(name, next)]
}
