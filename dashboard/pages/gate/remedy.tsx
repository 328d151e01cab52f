import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { formatCount } from '../../parts/number-text.ts'
import { ProofLink, type StartedProof } from './actions.tsx'
import { TestLink } from './tests.tsx'
import type { Figures, Gate, Reason } from './types.ts'
import { uploadCommands } from './upload-commands.ts'

interface RemedyProps {
  gate: Gate
  of: Reason
  proof: StartedProof
}

/** Leads from a reason to what satisfies it: a page, a part of this page, a command or a button. */
export function Remedy({ gate, of, proof }: RemedyProps) {
  const { rule, outcome } = of
  const { figures } = gate
  if (rule === 'proof' || rule === 'mutants') return <Proof gate={gate} of={of} proof={proof} />
  if (outcome === 'passed' || (outcome === 'nothing' && rule !== 'unmeasured')) return undefined
  if (rule === 'runs') return <RunsLink gate={gate} />
  if (rule === 'uploads') return <UploadCommands gate={gate} />
  if (rule === 'new_failures')
    return <TestLinks gate={gate} of={figures?.failures} section="tests-that-fail-with-the-change" />
  if (rule === 'new_flaky') return <TestLinks gate={gate} of={figures?.flaky} section="tests-that-became-flaky" />
  if (rule === 'unmeasured')
    return figures?.unmeasured.length ? <ToSection id="unmeasured" text="The files without a report" /> : undefined
  if (rule === 'project') {
    return (
      <Link to="/projects/$projectId/coverage" params={{ projectId: gate.projectId }} preload={false}>
        Coverage of the project
      </Link>
    )
  }
  return gate.files.length > 0 ? <ToSection id="files" text="The uncovered lines" /> : undefined
}

/** A link to another part of the page. */
const ToSection = ({ id, text }: { id: string; text: string }) => (
  <Link from="/projects/$projectId/gates/$gateId" to="." search={(old) => old} hash={id} preload={false}>
    {text}
  </Link>
)

function RunsLink({ gate: { projectId, headSha, snapshotId } }: { gate: Gate }) {
  if (headSha === null || snapshotId !== null) return undefined
  return (
    <Link to="/projects/$projectId/runs" params={{ projectId }} search={{ commit: headSha }} preload={false}>
      Runs of the commit
    </Link>
  )
}

function UploadCommands({ gate: { projectId, figures } }: { gate: Gate }) {
  const policy = useQuery(trpc.gate.getPolicy.queryOptions({ projectId }, { staleTime: 60_000 }))
  if (!policy.data) return undefined
  return <Snippet label="Commands for CI" text={uploadCommands(policy.data.uploads, figures?.uploads.names ?? [])} />
}

interface TestLinksProps {
  gate: Gate
  of: Figures['failures'] | Figures['flaky'] | undefined
  section: string
}

const maxTests = 3

function TestLinks({ gate: { projectId }, of, section }: TestLinksProps) {
  if (!of) return undefined
  return (
    <ul className="plain-list">
      {of.fresh.slice(0, maxTests).map((test) => (
        <li key={`${test.testId} ${test.variant}`}>
          <TestLink projectId={projectId} of={test} />
        </li>
      ))}
      {of.freshCount > maxTests ? (
        <li>
          <ToSection id={section} text={`All ${formatCount(of.freshCount)}`} />
        </li>
      ) : undefined}
    </ul>
  )
}

/** The verification that decided; where there is none yet, the button that starts it. */
function Proof({ gate, of, proof: { start, isStarting, changeId } }: RemedyProps) {
  const decided = gate.figures?.proof?.changeId
  const known = changeId ?? decided
  return (
    <>
      {known === undefined ? undefined : <ProofLink gate={gate} changeId={known} />}
      {of.outcome === 'waiting' && changeId === undefined && start ? (
        <button type="button" className="plain" disabled={isStarting} onClick={start}>
          {isStarting ? 'Starting…' : 'Verify the change'}
        </button>
      ) : undefined}
    </>
  )
}
