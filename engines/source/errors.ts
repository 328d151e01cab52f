import { OutboundRefusedError } from '../network/addresses.ts'
import { RepositoryError } from './types.ts'
import type { GitError } from './git.ts'

const maxDetail = 300

/** Every way in which git says that a fetch failed; it has no other channel than its English. First match wins. */
const failures: [pattern: RegExp, explain: (host: string, detail: string) => RepositoryError][] = [
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]/,
    (host) =>
      new RepositoryError(
        'authentication_required',
        `The repository does not exist on ${host}, or reading it requires signing in. ` +
          'Check the URL, and link an account that can read it.',
      ),
  ],
  [
    /^(?=(.*?repository '))\1.*' not found|returned error: (?:404|410)/m,
    (host) => new RepositoryError('not_found', `${host} has no repository at this URL. Check its spelling.`),
  ],
  [
    /returned error: 3\d\d/,
    (host) =>
      new RepositoryError(
        'url_refused',
        `${host} redirects to another address, and redirects are not followed. ` +
          'Open the URL in a browser and use the address that it leads to.',
      ),
  ],
  [
    /died of signal 25|File too large|attempting to allocate|out of memory|cannot allocate/i,
    () => new RepositoryError('too_large', 'The repository needs more disk space or memory than an analysis may use.'),
  ],
  [
    /Operation too slow|timed out/i,
    (host) => new RepositoryError('timeout', `${host} stopped sending data. Try again later.`),
  ],
  [
    /fsck|inflate|corrupt|bad (?:object|tree|pack)|pack has bad|invalid index-pack output/i,
    (host, detail) =>
      new RepositoryError(
        'not_a_repository',
        `${host} sent objects that git refuses: ${detail}. Run git fsck on the repository.`,
      ),
  ],
  [
    /dumb http transport|is this a git repository|protocol error|invalid (?:server )?response|unknown object format/i,
    (host) =>
      new RepositoryError('not_a_repository', `${host} did not answer like a git server. Check the repository URL.`),
  ],
]

/** The failure of a command that talks to a server, in words for the repository's owner. */
export function explainRemoteFailure(error: GitError, host: string, secrets: readonly string[]): Error {
  if (/No space left on device/.test(error.stderr))
    return new Error('No disk space is left for clones', { cause: error })
  const detail = presentable(error.stderr, secrets)
  const explain = failures.find(([pattern]) => pattern.test(error.stderr))?.[1]
  if (explain) return explain(host, detail)
  const [, status] = /returned error: (\d{3})/.exec(error.stderr) ?? []
  if (status) return new RepositoryError('unreachable', `${host} answered with status ${status}. Try again later.`)
  return new RepositoryError(
    'unreachable',
    `The repository could not be read from ${host}${detail === '' ? '' : `: ${detail}`}.`,
  )
}

/** An address that was refused or does not exist; anything else as it is. */
export function explainOutbound(error: unknown): unknown {
  if (!(error instanceof OutboundRefusedError)) return error
  return new RepositoryError(error.code === 'host_not_found' ? 'unreachable' : 'url_refused', error.message)
}

/**
 * Runs `work` with a deadline. After a timeout or an abort it throws an error that names this cause, and not the error
 * of the command that was stopped.
 */
export async function withDeadline<T>(
  { signal, milliseconds, what }: { signal: AbortSignal; milliseconds: number; what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(milliseconds)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted) throw cancelled()
    if (deadline.aborted) {
      const seconds = Math.max(1, Math.round(milliseconds / 1_000))
      throw new RepositoryError('timeout', `${what} took longer than ${seconds} s and was stopped.`)
    }
    throw error
  }
}

export const cancelled = () => new RepositoryError('cancelled', 'The analysis was cancelled.')

/** The error output of git for a message: without control characters and secrets, and at most a sentence long. */
function presentable(stderr: string, secrets: readonly string[]): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => /^(?:fatal|error|remote): \S/.test(line))
  let text = lines.join('; ').replace(/\p{C}+/gu, ' ')
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '***')
  return text.length > maxDetail ? `${text.slice(0, maxDetail)}…` : text.replace(/(?<![.\s])[.\s]+$/, '')
}
