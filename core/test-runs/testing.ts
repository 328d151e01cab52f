import type { RunEvent } from './follow.ts'
import type { TestApp } from '../testing/app.ts'

/** Opens the event stream of a run and collects its events. */
export async function openStream(
  app: TestApp,
  runId: string,
  { query = '', ...init }: { query?: string } & Parameters<TestApp['fetch']>[1] = {},
) {
  const leaving = new AbortController()
  const response = await app.fetch(`/api/test-runs/${runId}/events${query}`, { ...init, signal: leaving.signal })
  const events: RunEvent[] = []
  let text = ''
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) events.push(...parse(block))
    }
  }
  const ended = read().then(
    () => 'ended' as const,
    () => 'cut off' as const,
  )
  const lines = () => events.flatMap((event) => (event.event === 'log' ? [event.data.text] : []))
  const names = () => events.map(({ event }) => event)
  return { response, events, lines, names, ended, leave: () => leaving.abort() }
}

/** Ignores comments and `retry`. */
function parse(block: string): RunEvent[] {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')]
  if (event === undefined || data === undefined) return []
  return [{ event, ...(id === undefined ? {} : { id }), data: JSON.parse(data) } as RunEvent]
}
