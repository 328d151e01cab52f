import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { client, type Outputs, trpc } from '../../api.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CodeLink, type CodeOf, LineLinks } from '../../parts/code-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Prose } from '../../parts/prose.tsx'
import { formatRanges } from '../../parts/ranges.ts'
import type { Gate } from './types.ts'

type File = Outputs['gate']['files']['files'][number]

const route = getRouteApi('/projects/$projectId/gates/$gateId')

const limit = 10

/** Changed files with lines that no test runs, with their code, and those of which nothing is known. */
export function Files({ gate }: { gate: Gate }) {
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const input = { gateId: gate.id, limit, offset }
  const query = useQuery({
    // Another decision can have other files.
    queryKey: [...trpc.gate.files.queryKey(input), gate.updatedAt],
    queryFn: ({ signal }) => client.gate.files.query(input, { signal }),
    placeholderData: keepPreviousData,
  })
  const code = { projectId: gate.projectId, commitSha: gate.headSha, snapshotId: gate.snapshotId }
  return (
    <Section title="Changed files with a gap" id="files">
      <Loaded query={query}>
        {({ files, pagination }) => (
          <div className="stack">
            {files.map((file) => (
              <FileOfGate key={file.path} of={file} code={code} />
            ))}
            <Pager
              {...pagination}
              onMove={(next) => void navigate({ search: next === 0 ? {} : { offset: next }, hash: 'files' })}
            />
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function FileOfGate({ of, code }: { of: File; code: CodeOf }) {
  const { path, state, symbol, uncovered, partial, cases, nearestTest } = of
  return (
    <article className="card stack" aria-label={path.slice(0, 200)}>
      <h3>
        <CodeLink {...code} path={path} line={uncovered[0]?.[0] ?? partial[0]?.line} text={undefined} />
      </h3>
      {state === 'measured' ? (
        <p>
          {formatCount(of.covered)} of {plural(of.covered + of.uncoveredCount, 'changed line')} covered
          {symbol === null ? undefined : (
            <>
              , first gap in{' '}
              <code>
                <ShortText text={symbol} limit={120} />
              </code>
            </>
          )}
        </p>
      ) : (
        <p className="tone-warn">{stateTexts[state]}</p>
      )}
      {uncovered.length > 0 ? (
        <p>
          No test runs: <LineLinks ranges={formatRanges(uncovered)} path={path} of={code} />
        </p>
      ) : undefined}
      {partial.length > 0 ? (
        <p className="row">
          Not all branches are taken:{' '}
          {partial.slice(0, 12).map(({ line, covered, total }) => (
            <CodeLink key={line} {...code} path={path} line={line} text={`${line} (${covered} of ${total})`} />
          ))}
          {partial.length > 12 ? <span className="quiet">and {partial.length - 12} more</span> : undefined}
        </p>
      ) : undefined}
      {of.code.length > 0 ? (
        <CodeBlock
          label={`Code of ${path.slice(0, 200)}`}
          text={of.code.map(({ text }) => text).join('\n')}
          numbers={of.code.map(({ line }) => line)}
        />
      ) : uncovered.length > 0 ? (
        <p className="quiet">The code cannot be read from the repository now.</p>
      ) : undefined}
      {cases.length > 0 ? (
        <ul>
          {cases.map((each) => (
            <li key={`${each.line} ${each.text}`}>
              Line {each.line}: <Prose text={each.text} max={400} />
            </li>
          ))}
        </ul>
      ) : undefined}
      {nearestTest === null ? undefined : (
        <p>
          Nearest tests: <CodeLink {...code} path={nearestTest} />
        </p>
      )}
    </article>
  )
}

const stateTexts: Record<Exclude<File['state'], 'measured'>, string> = {
  unmeasured: 'No report names this file.',
  unknown: 'Another version of this file was measured, so its lines are not known to be covered.',
}
