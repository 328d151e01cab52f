import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Outputs, statusOf, trpc } from '../../api.ts'
import { CodeLink } from '../../parts/code-link.tsx'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount, formatPercent, plural } from '../../parts/number-text.ts'
import { Empty } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Time } from '../../parts/time.tsx'
import { CandidateDetail } from './candidate-detail.tsx'
import type { Candidate } from './types.ts'
import { candidatesInput, pageSize } from './input.ts'

type Page = Outputs['analysis']['listCandidates']

const route = getRouteApi('/projects/$projectId/suggestions')

/** The code that is most worth testing, best first. An entry opens to its cases and what the author of a test needs. */
export function Candidates() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    trpc.analysis.listCandidates.queryOptions(candidatesInput(projectId, search), {
      placeholderData: keepPreviousData,
    }),
  )
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, offset: undefined, open: undefined, ...change }, replace: true })
  if (query.data === undefined && statusOf(query.error) === 404) return <NotAnalyzed />
  return (
    <>
      <Filters>
        <SearchField label="Path or symbol" value={search.search} onChange={(text) => filter({ search: text })} />
        <SelectField
          label="Reached by tests"
          value={search.coverage}
          any="All code"
          options={[
            ['none', 'Not at all'],
            ['partial', 'In part'],
          ]}
          onChange={(coverage) => filter({ coverage: coverage as 'none' | 'partial' | undefined })}
        />
      </Filters>
      <Loaded query={query}>
        {({ analysis, candidates, pagination }) => (
          <>
            <Basis analysis={analysis} matching={pagination.total} />
            {candidates.length === 0 ? (
              <Empty title="No code matches">
                <p>Change the filters, or clear them to see all ranked code.</p>
              </Empty>
            ) : (
              <div className="candidates-frame">
                <div className="candidates-head" aria-hidden="true">
                  <span>Symbol</span>
                  <span className="candidate-figures">
                    <span>Covered</span>
                    <span>Open cases</span>
                    <span className="minor">Complexity</span>
                    <span className="minor">Changes</span>
                  </span>
                </div>
                <ol className="candidates" start={pagination.offset + 1}>
                  {candidates.map((candidate) => (
                    <Entry
                      key={candidate.rank}
                      projectId={projectId}
                      commitSha={analysis.commitSha}
                      candidate={candidate}
                      isOpen={search.open === nameOf(candidate)}
                      onToggle={(isOpen) =>
                        void navigate({
                          search: { ...search, open: isOpen ? nameOf(candidate) : undefined },
                          replace: true,
                          resetScroll: false,
                        })
                      }
                    />
                  ))}
                </ol>
              </div>
            )}
            <Pager
              total={pagination.total}
              limit={pageSize}
              offset={pagination.offset}
              onMove={(offset) => void navigate({ search: { ...search, open: undefined, offset } })}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

const nameOf = ({ path, symbol }: Candidate) => `${path}#${symbol}`

interface BasisProps extends Pick<Page, 'analysis'> {
  /** How many candidates the filters leave. */
  matching: number
}

/** Which commit the ranking is of, and whether its coverage was measured. */
function Basis({ analysis, matching }: BasisProps) {
  const { commitSha, completedAt, coverage, ranking, testCandidates } = analysis
  return (
    <p className="quiet basis">
      {matching < testCandidates ? `${formatCount(matching)} of ` : ''}
      {plural(testCandidates, 'candidate')} in commit <Commit sha={commitSha} />, analyzed <Time at={completedAt} />.{' '}
      {coverage ? (
        <>
          Coverage was measured at commit <Commit sha={coverage.commitSha} />
          {coverage.behind > 0 ? `, ${plural(coverage.behind, 'commit')} before` : ''}.
        </>
      ) : (
        'Coverage is estimated from imports and names. Run the tests once with coverage to have it measured.'
      )}
      {ranking === 'pending' ? ' Newer coverage is being taken into account.' : ''}
    </p>
  )
}

interface EntryProps {
  projectId: string
  commitSha: string | null
  candidate: Candidate
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}

function Entry({ projectId, commitSha, candidate, isOpen, onToggle }: EntryProps) {
  const { rank, path, symbol, kind, startLine, endLine, coverage, coverageSource, complexity, churn, cases } = candidate
  const openCases = (cases?.filter(({ covered }) => covered !== true).length ?? 0) + (candidate.moreCases ?? 0)
  return (
    <li className="candidate">
      <details open={isOpen} onToggle={(event) => event.currentTarget.open !== isOpen && onToggle(!isOpen)}>
        <summary>
          <span className="candidate-rank number">{formatCount(rank)}</span>
          <span className="candidate-name">
            <bdi>
              <code>{symbol}</code>
            </bdi>{' '}
            <span className="quiet">
              {kind} in <bdi>{path}</bdi>:{startLine}–{endLine}
            </span>
          </span>
          <span className="candidate-figures">
            <span>
              <span className="visually-hidden">Covered: </span>
              {coverage === undefined ? '–' : <Reached share={coverage} isMeasured={coverageSource === 'measured'} />}
            </span>
            <span>
              <span className="visually-hidden">Open cases: </span>
              {formatCount(openCases)}
              {candidate.hasUncountedCases ? '+' : ''}
            </span>
            <span className="minor">
              <span className="visually-hidden">Complexity: </span>
              {formatCount(complexity)}
            </span>
            <span className="minor">
              <span className="visually-hidden">Changes: </span>
              {churn === null ? '–' : formatCount(churn)}
            </span>
          </span>
        </summary>
        {isOpen ? (
          <div className="candidate-detail">
            <p>
              <CodeLink projectId={projectId} commitSha={commitSha} path={path} line={startLine} />
            </p>
            <CandidateDetail projectId={projectId} commitSha={commitSha} candidate={candidate} />
          </div>
        ) : undefined}
      </details>
    </li>
  )
}

function Reached({ share, isMeasured }: { share: number; isMeasured: boolean }) {
  return (
    <span className="nowrap" title={isMeasured ? 'Measured by running tests' : 'Estimated from imports and names'}>
      {isMeasured ? '' : '≈ '}
      {formatPercent(share * 100)}
    </span>
  )
}

function NotAnalyzed() {
  return (
    <Empty title="This project has not been analyzed">
      <p>
        An analysis reads the repository and ranks the code that is worth testing. Start it above, or in the checkout:
      </p>
      <Snippet label="Command" text="assay suggest ." />
    </Empty>
  )
}
