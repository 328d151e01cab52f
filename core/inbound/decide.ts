import type { ProjectSettings } from '../projects/schema.ts'
import { matchesBranch } from './branch-pattern.ts'
import type { CodeHostFacts } from './schema.ts'

/** What an event triggers. */
export interface Effects {
  analyze: boolean
  run: boolean
  /** Opens the gate of the pull request, also where CI runs the tests: a required check must always be reported. */
  gate: boolean
}

/** `rerun` is for users who may push, and runs the head of the pull request. */
export type Decision = Effects | { rerun: true } | { ignored: string }

export interface CodeHostEvent {
  event: string
  action: string | null
  facts: CodeHostFacts
}

type Settings = Pick<ProjectSettings, 'branches' | 'runOn' | 'analyzeOnPush'>

/** Returns why every project ignores an event; null if the settings of a project decide. */
export function reasonToIgnore(event: string, { command }: Pick<CodeHostFacts, 'command'>): string | null {
  if (event === 'ping') return 'A ping: the connection works.'
  if (commandEvents.includes(event)) {
    if (command !== null) return null
    if (event === 'issue_comment') return 'The comment is not a command for Assay at a pull request.'
  }
  return ['push', 'pull_request', 'release'].includes(event) ? null : `Assay ignores ${event}.`
}

const commandEvents = ['issue_comment', 'check_run', 'check_suite']
const pullRequestActions = ['opened', 'synchronize', 'reopened']

/** Decides what an event triggers in a project with these settings. */
export function decide({ event, action, facts }: CodeHostEvent, settings: Settings): Decision {
  if (commandEvents.includes(event) && facts.command === 'rerun') return { rerun: true }
  switch (event) {
    case 'push':
      return decidePush(facts, settings)
    case 'pull_request':
      if (!pullRequestActions.includes(action ?? '')) return unhandledAction(event, action)
      return decidePullRequest(facts, settings)
    case 'release':
      if (action !== 'published') return unhandledAction(event, action)
      if (facts.tag === null) return { ignored: 'The payload names no tag.' }
      if (!settings.runOn.release) return { ignored: 'The project settings do not run tests on releases.' }
      return { analyze: false, run: true, gate: false }
    default:
      return unhandledAction(event, action)
  }
}

/** The number of commits does not matter: a branch that was created or moved without new commits has a new head, too. */
function decidePush({ branch, tag, commitSha, deleted }: CodeHostFacts, settings: Settings): Decision {
  if (deleted) return { ignored: 'The branch was deleted.' }
  if (tag !== null)
    return { ignored: 'Tags are ignored: the commit is covered by its branch, and a release by its own event.' }
  if (branch === null || commitSha === null) return { ignored: 'The payload names no branch and commit.' }
  if (!isWanted(branch, settings)) return { ignored: `The project settings exclude the branch ${branch}.` }
  const { analyzeOnPush: analyze, runOn } = settings
  if (!analyze && !runOn.push) return { ignored: 'The project settings do nothing on pushes.' }
  return { analyze, run: runOn.push, gate: false }
}

function decidePullRequest({ targetBranch, commitSha, pullRequest }: CodeHostFacts, settings: Settings): Decision {
  if (commitSha === null || pullRequest === null) return { ignored: 'The payload names no pull request and commit.' }
  if (targetBranch !== null && !isWanted(targetBranch, settings)) {
    return { ignored: `The project settings exclude the target branch ${targetBranch}.` }
  }
  return { analyze: false, run: settings.runOn.pullRequest, gate: true }
}

function isWanted(branch: string, { branches }: Settings): boolean {
  return branches.length === 0 || branches.some((pattern) => matchesBranch(pattern, branch))
}

function unhandledAction(event: string, action: string | null): Decision {
  return { ignored: `Assay ignores ${event}${action === null ? '' : ` ${action}`}.` }
}
