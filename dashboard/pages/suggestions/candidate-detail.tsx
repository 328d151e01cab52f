import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { queryClient, trpc } from '../../api.ts'
import { CodeLink, LineLinks } from '../../parts/code-link.tsx'
import { Copy, Snippet } from '../../parts/copy.tsx'
import { InlineText } from '../../parts/long-text.tsx'
import { formatRanges } from '../../parts/ranges.ts'
import { announce, announceProblem } from '../../shell/notices.ts'
import type { Candidate } from './types.ts'

interface DetailProps {
  projectId: string
  commitSha: string | null
  candidate: Candidate
}

const outcomes = {
  throws: 'throws',
  returns: 'returns',
  early_return: 'returns early',
  loop_not_entered: 'does not enter the loop',
  catch: 'handles an error',
  default: 'takes the default',
} as const

/** Why the code is worth a test, the cases that no test takes, and what the author of a test needs to know. */
export function CandidateDetail({ projectId, commitSha, candidate }: DetailProps) {
  const { path, reasons, cases = [], moreCases, brief, through, uncovered, nearestTests, strength } = candidate
  const code = { projectId, commitSha }
  return (
    <>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {uncovered && uncovered.length > 0 ? (
        <p>
          Lines that no test runs:{' '}
          <LineLinks
            ranges={formatRanges(uncovered.map(({ startLine, endLine }) => [startLine, endLine] as const))}
            path={path}
            of={code}
          />
        </p>
      ) : undefined}
      {cases.length > 0 ? (
        <>
          <h3>Cases</h3>
          <ul className="cases">
            {cases.map(({ id, line, condition, outcome, result, covered }) => (
              <li key={id}>
                <CodeLink {...code} path={path} line={line} text={`Line ${line}`} /> {outcomes[outcome]}
                {result ? (
                  <>
                    {' '}
                    <code>
                      <InlineText text={result} max={200} />
                    </code>
                  </>
                ) : undefined}{' '}
                where{' '}
                <code>
                  <InlineText text={condition} max={300} />
                </code>
                {covered === true ? <span className="quiet"> (a test runs it)</span> : undefined}
              </li>
            ))}
            {moreCases ? <li className="quiet">and {moreCases} more</li> : undefined}
          </ul>
        </>
      ) : undefined}
      {strength && strength.survivors.length > 0 ? (
        <>
          <h3>Changes that no test notices</h3>
          <ul>
            {strength.survivors.map(({ line, original, replacement }) => (
              <li key={`${line} ${replacement}`}>
                <CodeLink {...code} path={path} line={line} text={`Line ${line}`} />{' '}
                <code>
                  <InlineText text={original} max={200} />
                </code>{' '}
                as{' '}
                <code>
                  <InlineText text={replacement === '' ? '(nothing)' : replacement} max={200} />
                </code>
              </li>
            ))}
          </ul>
        </>
      ) : undefined}
      <h3>For the author of a test</h3>
      <dl className="brief">
        {through ? (
          <>
            <dt>Call it through</dt>
            <dd>
              <code>{through.symbol}</code> in <CodeLink {...code} path={through.path} line={through.startLine} />
            </dd>
          </>
        ) : undefined}
        {brief ? (
          <>
            <dt>Test file</dt>
            <dd>
              <code>{brief.testFile.path}</code> {brief.testFile.exists ? '(exists)' : '(new)'}, {brief.framework}
            </dd>
            {brief.signature ? (
              <>
                <dt>Signature</dt>
                <dd>
                  <code>{brief.signature}</code>
                </dd>
              </>
            ) : undefined}
            {brief.construct ? (
              <>
                <dt>Construct</dt>
                <dd>
                  <code>{brief.construct}</code>
                </dd>
              </>
            ) : undefined}
          </>
        ) : undefined}
        {nearestTests && nearestTests.length > 0 ? (
          <>
            <dt>Nearest tests</dt>
            <dd>
              {nearestTests.slice(0, 3).map((test) => (
                <div key={test}>
                  <CodeLink {...code} path={test} />
                </div>
              ))}
            </dd>
          </>
        ) : undefined}
      </dl>
      {brief?.import ? <Snippet label="Import" text={brief.import} /> : undefined}
      {brief?.command ? <Snippet label="Command that runs the test file" text={brief.command} /> : undefined}
      <div className="row">
        <GenerateButton projectId={projectId} candidate={candidate} />
        <Copy text={taskOf(candidate)} label="Copy as a task for an agent" />
      </div>
    </>
  )
}

function GenerateButton({ projectId, candidate: { path, symbol } }: Pick<DetailProps, 'projectId' | 'candidate'>) {
  const navigate = useNavigate()
  const generate = useMutation(
    trpc.analysis.generateTests.mutationOptions({
      onSuccess: async ({ tests, warnings }) => {
        await queryClient.invalidateQueries(trpc.generatedTests.list.pathFilter())
        const [test] = tests
        if (!test) {
          announceProblem(warnings[0] ?? 'The AI service returned no test.')
          return
        }
        announce('A test was generated. Verify it to see whether it is worth keeping.')
        await navigate({
          to: '/projects/$projectId/generated-tests/$generatedTestId',
          params: { projectId, generatedTestId: test.id },
        })
      },
    }),
  )
  return (
    <button
      type="button"
      disabled={generate.isPending}
      onClick={() => generate.mutate({ projectId, target: { path, symbol } })}
    >
      {generate.isPending ? 'Generating' : 'Generate a test'}
    </button>
  )
}

/** The candidate as a task in words, for the prompt of a coding agent. */
function taskOf({ path, symbol, startLine, endLine, cases = [], brief }: Candidate): string {
  const open = cases.filter(({ covered }) => covered !== true)
  return [
    `Write a test for ${symbol} (${path}:${startLine}-${endLine}).`,
    ...(brief ? [`Put it in ${brief.testFile.path} with ${brief.framework}.`] : []),
    ...(open.length > 0 ? ['Cover these cases:'] : []),
    ...open.map(
      ({ line, condition, outcome, result }) =>
        `- line ${line}: ${outcomes[outcome]}${result ? ` ${result}` : ''} where ${condition}`,
    ),
    ...(brief?.command ? [`Run it with: ${brief.command}`] : []),
    'Then prove it with the tool verify_test of Assay, and keep it only if the verdict is accepted.',
  ].join('\n')
}
