import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SettingsTab } from '../project-settings/tabs.ts'
import { type Advice, causeOf } from './error-words.ts'
import type { RunDetail } from './run.ts'

/** Why a run has no result, and what to do. The code is there to search for. */
export function ErrorOutcome({ projectId, run }: { projectId: string; run: RunDetail }) {
  const { what, advice } = causeOf(run.error?.code)
  const settings = (tab: SettingsTab) => (
    <Link to="/projects/$projectId/settings" params={{ projectId }} search={{ tab }}>
      settings of the project
    </Link>
  )
  return (
    <>
      <strong>{what}</strong> {run.source === 'upload' ? ofUpload : advices[advice](settings)}
      {run.error ? (
        <>
          {' '}
          <span className="hint">
            Error code: <code>{run.error.code}</code>
          </span>
        </>
      ) : undefined}
    </>
  )
}

const ofUpload = 'Check in the CI job whether the tests ran and wrote the report.'

/** `settings` makes the link to the settings of the project. */
const advices: Record<Advice, (settings: (tab: SettingsTab) => ReactNode) => ReactNode> = {
  repository: (settings) => (
    <>Check the address in the {settings('general')}, and whether the linked account can read it.</>
  ),
  state: () => 'Run the tests of a branch or commit that exists.',
  tests: (settings) => <>Correct the cause in the code, or the commands in the {settings('tests')}.</>,
  selection: (settings) => (
    <>Check which tests the run was asked for, and the test command in the {settings('tests')}.</>
  ),
  time: (settings) => <>Run it again, or raise the time limit in the {settings('tests')}.</>,
  operator: () => 'The person who operates this server can change that.',
  again: () => 'Run it again. If that does not help, tell the person who operates this server.',
  log: () => 'Its log says more.',
}
