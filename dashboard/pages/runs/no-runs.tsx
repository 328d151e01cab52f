import { Snippet } from '../../parts/copy.tsx'
import { Empty, Section } from '../../parts/page.tsx'
import { UploadSteps } from './upload-steps.tsx'

/** The page of a project without runs: how to get the first one. */
export function NoRuns({ projectId }: { projectId: string }) {
  return (
    <>
      <Empty title="No tests have run yet">
        <p>
          A run shows which tests fail, since when, and what they cover. In a checkout of the repository, this command
          runs the tests of the working tree on this server:
        </p>
        <Snippet label="Command that runs the tests" text={`assay run ${projectId}`} />
        <p>
          <strong>Run tests</strong> above runs those of a branch or commit. Webhooks of the code host can start runs on
          every push: see the settings of the project.
        </p>
      </Empty>
      <Section title="Upload results from CI">
        <UploadSteps projectId={projectId} />
      </Section>
    </>
  )
}
