import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { AskButton } from '../../parts/ask-button.tsx'
import { CodeLink } from '../../parts/code-link.tsx'
import { Snippet } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { InlineText } from '../../parts/long-text.tsx'
import { Empty } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { announce } from '../../shell/notices.ts'
import { pageSize, statuses } from './input.ts'

type Suggestion = Outputs['suggestions']['list']['suggestions'][number]

const route = getRouteApi('/projects/$projectId/suggestions')
const names = { open: 'Open', accepted: 'Accepted', dismissed: 'Dismissed', outdated: 'Outdated' } as const

/** The tests that were suggested, newest first. */
export function Suggestions() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { status, offset = 0 } = search
  const query = useQuery(
    trpc.suggestions.list.queryOptions(
      { projectId, status, limit: pageSize, offset },
      { placeholderData: keepPreviousData },
    ),
  )
  return (
    <>
      <Filters>
        <SelectField
          label="Status"
          value={status}
          options={statuses.map((each) => [each, names[each]] as const)}
          onChange={(value) =>
            void navigate({
              search: { ...search, offset: undefined, status: statuses.find((each) => each === value) },
              replace: true,
            })
          }
        />
      </Filters>
      <Loaded query={query}>
        {({ suggestions, pagination }) =>
          suggestions.length === 0 ? (
            <Empty title="No suggestions">
              <p>Ask a connected agent what to test, or in the checkout:</p>
              <Snippet label="Command" text="assay suggest" />
            </Empty>
          ) : (
            <>
              <ul className="plain-list suggestions">
                {suggestions.map((suggestion) => (
                  <SuggestionItem key={suggestion.id} projectId={projectId} suggestion={suggestion} />
                ))}
              </ul>
              <Pager
                total={pagination.total}
                limit={pageSize}
                offset={offset}
                onMove={(next) => void navigate({ search: { ...search, offset: next } })}
              />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function SuggestionItem({ projectId, suggestion }: { projectId: string; suggestion: Suggestion }) {
  const { id, file_path, test_type, description, rationale, target, status, verificationId, commitSha, createdAt } =
    suggestion
  const { example_code, cases = [] } = suggestion
  const dismiss = useMutation(
    trpc.suggestions.dismiss.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries(trpc.suggestions.list.pathFilter())
        announce('The suggestion was dismissed.')
      },
    }),
  )
  return (
    <li className="card suggestion" id={id}>
      <div className="section-head">
        <div>
          <Status of={status} />{' '}
          <span className="quiet">
            {test_type} test for{' '}
            {target ? (
              <bdi>
                <code>{target.symbol}</code>
              </bdi>
            ) : undefined}{' '}
            in <CodeLink projectId={projectId} commitSha={commitSha} path={file_path} line={target?.startLine} />,{' '}
            <Time at={createdAt} />
          </span>
        </div>
        <div className="actions">
          {verificationId ? (
            <Link
              to="/projects/$projectId/verifications/$verificationId"
              params={{ projectId, verificationId }}
              className="button plain"
            >
              Proof
            </Link>
          ) : undefined}
          {status === 'open' ? (
            <AskButton
              label="Dismiss"
              title="Dismiss the suggestion?"
              action="Dismiss suggestion"
              isBusy={dismiss.isPending}
              onConfirm={() => dismiss.mutate({ suggestionId: id })}
            >
              <p>Assay does not suggest it again. This cannot be undone.</p>
            </AskButton>
          ) : undefined}
        </div>
      </div>
      <p>
        <InlineText text={description} />
      </p>
      <p className="quiet">
        <InlineText text={rationale} />
      </p>
      {cases.length > 0 || example_code ? (
        <details>
          <summary>{cases.length > 0 ? `Cases (${cases.length}) and example` : 'Example'}</summary>
          {cases.length > 0 ? (
            <ul>
              {cases.map(({ id: caseId, line, condition, result }) => (
                <li key={caseId}>
                  Line {line}: <code>{condition}</code>
                  {result ? (
                    <>
                      {' '}
                      → <code>{result}</code>
                    </>
                  ) : undefined}
                </li>
              ))}
            </ul>
          ) : undefined}
          {example_code ? <Snippet label="Example" text={example_code} /> : undefined}
        </details>
      ) : undefined}
    </li>
  )
}
