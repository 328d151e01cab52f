import { useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { absoluteTime } from '../../parts/time-text.ts'
import { Checks } from './checks.tsx'
import { Executor } from './executor.tsx'
import { judgeCapacity, queueRows } from './queues.ts'
import { QueueTable } from './queue-table.tsx'
import '../../styles/form.css'

/** Is capacity short, and does everything work? */
export function SystemPage() {
  // Queries are not repeated while the page is in the background.
  const status = useQuery(trpc.system.status.queryOptions(undefined, { refetchInterval: 5_000 }))
  return (
    <Page title="System" lead="Is capacity short, and does everything work? Refreshed every 5 seconds.">
      <Loaded query={status}>
        {(system) => {
          const rows = queueRows(system.queues)
          const answer = judgeCapacity(rows)
          return (
            <>
              <p className={`note-line tone-${answer.tone}`} role="status">
                <span>
                  <Status of={answer.status} text={answer.title} /> {answer.text}
                </span>
              </p>
              <Section title="Queues">
                <QueueTable rows={rows} />
              </Section>
              <Section title="Checks">
                <Checks system={system} />
              </Section>
              <Section title="Isolation of tests">
                <Executor executor={system.executor} />
              </Section>
              <Section title="This server">
                <Facts
                  of={[
                    ['Version', system.version],
                    ['Mode', system.local ? 'local: one machine, one person' : 'shared'],
                    ['Clock', absoluteTime(system.time)],
                    ['Mail', system.sendsMail === false ? 'written to the log (SMTP_URL is not set)' : 'sent'],
                    ['AI provider', system.ai.provider ?? 'none'],
                    ['Files', system.storage.kind === 's3' ? 'S3' : 'a folder'],
                  ]}
                />
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
