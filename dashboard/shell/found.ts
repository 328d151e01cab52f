import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Outputs, trpc } from '../api.ts'
import { stringifySearch } from '../search-params.ts'
import type { Command } from './commands.ts'

type Found = Outputs['search']['find']['results'][number]

const kindTexts: Record<Found['kind'], string> = {
  project: 'Project',
  test: 'Test',
  file: 'File',
  run: 'Run',
  commit: 'Commit',
  suggestion: 'Suggestion',
}

function hrefOf({ kind, projectId, id }: Found): string {
  const project = `/projects/${projectId}`
  const part = encodeURIComponent(id)
  if (kind === 'test') return `${project}/tests/${part}`
  if (kind === 'run') return `${project}/runs/${part}`
  if (kind === 'file') return `${project}/code${stringifySearch({ path: id })}`
  if (kind === 'commit') return `${project}/runs${stringifySearch({ commit: id })}`
  if (kind === 'suggestion') return `${project}/suggestions${stringifySearch({ tab: 'suggestions', open: id })}`
  return project
}

/** Texts of others may be very long. */
const shorten = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text)

/** Puts results of one kind together, the kind with the best result first. */
function inGroups(results: readonly Found[]): Found[] {
  return [...Map.groupBy(results, ({ kind }) => kind).values()].flat()
}

/** How long the user must pause before the server is asked. */
const pauseMs = 150

/** What a text finds, in all projects or first in the current one. */
export function useFound(text: string): { commands: Command[]; isSearching: boolean; problem: unknown } {
  const [query, setQuery] = useState('')
  const wanted = text.trim()
  useEffect(() => {
    const timer = setTimeout(() => setQuery(wanted), pauseMs)
    return () => clearTimeout(timer)
  }, [wanted])
  const found = useQuery(
    trpc.search.find.queryOptions(
      { query, limit: 30 },
      { enabled: query !== '' && wanted !== '', placeholderData: keepPreviousData, staleTime: 30_000 },
    ),
  )
  const results = wanted === '' || found.data === undefined ? [] : inGroups(found.data.results)
  return {
    commands: results.map((each) => ({
      kind: kindTexts[each.kind],
      title: shorten(each.title),
      detail: shorten(each.kind === 'project' ? each.detail : `${each.detail} · ${each.projectName}`),
      href: hrefOf(each),
    })),
    isSearching: wanted !== '' && (wanted !== query || found.isFetching),
    problem: found.error,
  }
}
