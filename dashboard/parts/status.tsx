import { Icon, type IconName } from './icon.tsx'

interface Look {
  icon: IconName
  tone: 'good' | 'bad' | 'warn' | 'broken' | 'busy' | 'quiet'
  text: string
}

/** How each status and verdict of the API looks, by its name in lower case. */
const looks: Record<string, Look> = {
  passed: { icon: 'passed', tone: 'good', text: 'Passed' },
  passing: { icon: 'passed', tone: 'good', text: 'Passing' },
  succeeded: { icon: 'passed', tone: 'good', text: 'Succeeded' },
  completed: { icon: 'passed', tone: 'good', text: 'Completed' },
  success: { icon: 'passed', tone: 'good', text: 'Success' },
  accepted: { icon: 'passed', tone: 'good', text: 'Accepted' },
  confirmed: { icon: 'passed', tone: 'good', text: 'Confirmed' },
  proved: { icon: 'passed', tone: 'good', text: 'Proved' },
  measured: { icon: 'passed', tone: 'good', text: 'Measured' },
  active: { icon: 'passed', tone: 'good', text: 'Active' },
  processed: { icon: 'passed', tone: 'good', text: 'Processed' },
  healthy: { icon: 'passed', tone: 'good', text: 'Healthy' },
  failed: { icon: 'failed', tone: 'bad', text: 'Failed' },
  failure: { icon: 'failed', tone: 'bad', text: 'Failure' },
  failing: { icon: 'failed', tone: 'bad', text: 'Failing' },
  broken: { icon: 'failed', tone: 'bad', text: 'Broken' },
  suspected_bug: { icon: 'failed', tone: 'bad', text: 'Suspected bug' },
  not_built: { icon: 'error', tone: 'broken', text: 'Not built' },
  error: { icon: 'error', tone: 'broken', text: 'Error' },
  disabled: { icon: 'error', tone: 'broken', text: 'Disabled' },
  flaky: { icon: 'flaky', tone: 'warn', text: 'Flaky' },
  retried: { icon: 'flaky', tone: 'warn', text: 'Passed on retry' },
  excused: { icon: 'failed', tone: 'quiet', text: 'Failed in an outage' },
  muted: { icon: 'muted', tone: 'warn', text: 'Failed, muted' },
  no_gain: { icon: 'skipped', tone: 'warn', text: 'No gain' },
  inconclusive: { icon: 'skipped', tone: 'warn', text: 'Inconclusive' },
  unproved: { icon: 'skipped', tone: 'warn', text: 'Unproved' },
  partial: { icon: 'skipped', tone: 'warn', text: 'Partial' },
  paused: { icon: 'skipped', tone: 'warn', text: 'Paused' },
  running: { icon: 'running', tone: 'busy', text: 'Running' },
  in_flight: { icon: 'running', tone: 'busy', text: 'In flight' },
  pending: { icon: 'pending', tone: 'busy', text: 'Queued' },
  waiting: { icon: 'pending', tone: 'busy', text: 'Waiting' },
  queued: { icon: 'pending', tone: 'busy', text: 'Queued' },
  requested: { icon: 'pending', tone: 'busy', text: 'Requested' },
  open: { icon: 'pending', tone: 'busy', text: 'Open' },
  new: { icon: 'pending', tone: 'quiet', text: 'New' },
  stale: { icon: 'cancelled', tone: 'quiet', text: 'Stale' },
  released: { icon: 'passed', tone: 'quiet', text: 'Released' },
  expired: { icon: 'pending', tone: 'quiet', text: 'Expired' },
  rejected: { icon: 'cancelled', tone: 'quiet', text: 'Rejected' },
  generated: { icon: 'passed', tone: 'quiet', text: 'Generated' },
  stored: { icon: 'passed', tone: 'quiet', text: 'Stored' },
  invited: { icon: 'pending', tone: 'busy', text: 'Invited' },
  neutral: { icon: 'skipped', tone: 'quiet', text: 'Neutral' },
  skipped: { icon: 'skipped', tone: 'quiet', text: 'Skipped' },
  cancelled: { icon: 'cancelled', tone: 'quiet', text: 'Cancelled' },
  dismissed: { icon: 'cancelled', tone: 'quiet', text: 'Dismissed' },
  outdated: { icon: 'cancelled', tone: 'quiet', text: 'Outdated' },
  ignored: { icon: 'skipped', tone: 'quiet', text: 'Ignored' },
  no_code_changed: { icon: 'skipped', tone: 'quiet', text: 'No code changed' },
}

export function lookOf(status: string): Look {
  return looks[status.toLowerCase()] ?? { icon: 'unknown', tone: 'quiet', text: status.replaceAll('_', ' ') }
}

/** A status or verdict as icon and text; `compact` hides the text from eyes only. */
export function Status({ of, compact = false, text }: { of: string; compact?: boolean; text?: string | undefined }) {
  const look = lookOf(of)
  return (
    <span
      className={`status tone-${look.tone}${compact ? ' compact' : ''}`}
      title={compact ? (text ?? look.text) : undefined}
    >
      <Icon name={look.icon} className={look.icon === 'running' ? 'spin' : undefined} />
      <span className={compact ? 'visually-hidden' : undefined}>{text ?? look.text}</span>
    </span>
  )
}
