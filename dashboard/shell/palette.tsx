import { useRouter, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { pageCommands, type Command } from './commands.ts'

/** The search and the commands of the current page, in one list that the arrow keys move through. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const projectId = useRouterState({
    select: ({ matches }) => (matches.at(-1)?.params as { projectId?: string } | undefined)?.projectId,
  })
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const list = useRef<HTMLUListElement>(null)
  const commands = pageCommands(projectId).filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
  const items: Command[] = commands.slice(0, text === '' ? 30 : 8)
  const selected = Math.min(at, Math.max(0, items.length - 1))
  useEffect(() => list.current?.children[selected]?.scrollIntoView({ block: 'nearest' }), [selected])
  const open = (command: Command | undefined) => {
    if (!command) return
    onClose()
    void router.navigate({ href: command.href })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(selected + 1, items.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(selected - 1, 0))
    else if (event.key === 'Enter') open(items[selected])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        autoFocus
        aria-label="Search projects, tests, files, runs and commits"
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-activedescendant={items.length > 0 ? `${listId}-${selected}` : undefined}
        placeholder="Projects, tests, files, runs, commits"
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <ul id={listId} ref={list} role="listbox" aria-label="Results" className="palette">
        {items.map((item, index) => (
          <li
            key={`${item.kind} ${item.href} ${item.title}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === selected}
            onClick={() => open(item)}
          >
            <span className="palette-kind">{item.kind}</span>
            <span className="palette-title">{item.title}</span>
            <span className="quiet">{item.detail}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
