import { Link } from '@tanstack/react-router'
import { ConnectAgent } from '../../parts/connect-agent.tsx'
import { Snippet } from '../../parts/copy.tsx'
import { Empty, Section } from '../../parts/page.tsx'
import { RunTests } from '../runs/run-tests.tsx'

/** What to do with a project that has no runs on its branch. */
export function NextSteps({ projectId, branch }: { projectId: string; branch: string }) {
  return (
    <>
      <Empty title={`No runs of ${branch} yet`}>
        <p>Runs show here whether the branch is healthy and since when.</p>
        <RunTests projectId={projectId} branch={branch} />
        <p>Or start one from a checkout of the project:</p>
        <Snippet label="Command" text="assay run" />
        <p>
          The page{' '}
          <Link to="/projects/$projectId/runs" params={{ projectId }}>
            Runs
          </Link>{' '}
          has the step that uploads results from your CI. To see what is worth testing first, open{' '}
          <Link to="/projects/$projectId/suggestions" params={{ projectId }}>
            What to test
          </Link>
          .
        </p>
      </Empty>
      <Section title="Connect a coding agent">
        <ConnectAgent projectId={projectId} />
      </Section>
    </>
  )
}
