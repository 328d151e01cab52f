import { useRouter, useRouterState } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/loaded.tsx'
import { plural } from '../parts/number-text.ts'
import { pageCommands, type Command } from './commands.ts'
import { useFound } from './found.ts'

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
  const found = useFound(text)
  const wanted = text.trim().toLowerCase()
  const pages = pageCommands(projectId).filter(({ title }) => title.toLowerCase().includes(wanted))
  const items: Command[] = [...pages.slice(0, wanted === '' ? 30 : 4), ...found.commands]
  const selected = Math.min(at, Math.max(0, items.length - 1))
  useEffect(() => {
    // Newer browsers return a promise, which React would take for a clean-up.
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const open = (command: Command | undefined) => {
    if (!command) return
    onClose()
    void router.navigate({ href: command.href })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(selected + 1, items.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(selected - 1, 0))
    else if (event.key === 'Enter') open(items[selected])
    // The browser would only empty the field at first.
    else if (event.key === 'Escape') onClose()
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
            <bdi className="palette-title">{item.title}</bdi>
            <bdi className="palette-detail">{item.detail}</bdi>
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {hintFor(wanted, items.length, found.isSearching)}
      </p>
      {found.problem ? <Problem error={found.problem} /> : undefined}
    </Dialog>
  )
}

function hintFor(wanted: string, count: number, isSearching: boolean): string {
  if (wanted === '') return 'Names, parts of names, ids, or at least 4 characters of a commit id.'
  if (isSearching) return 'Searching'
  return count === 0 ? 'Nothing found.' : plural(count, 'result')
}
