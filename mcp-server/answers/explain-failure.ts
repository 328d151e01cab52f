import type { CoreFailure } from '../../client/core-client.ts'
import type { Credentials } from '../../client/credentials.ts'
import { explainFailure as explain } from '../../client/explain-failure.ts'

/** The parts of the failed call that the server itself added. */
interface Origin {
  baseUrl: string
  /** Where the server found the token; undefined where the caller sent it. */
  source?: Credentials['source'] | undefined
  tokenFile?: string | undefined
  /** The project that the server is confined to. */
  projectId?: string | undefined
}

/** Explains to an agent what failed and what to do next. */
export function explainFailure(failure: CoreFailure, from: Origin): string {
  const confinement = explainConfinement(failure, from)
  if (confinement !== undefined) return `Not allowed: ${confinement}`
  const text = explain(withArgumentNames(failure), from, 'tools')
  if (failure.kind !== 'refused' || failure.status !== 401) return text
  if (from.source === undefined) return `${text} Clients send it as \`Authorization: Bearer\`.`
  return from.source === 'SVC_API_TOKEN' ? `${text} Then restart this MCP server.` : text
}

/** Core cannot know whether the token or this server confines the call. */
function explainConfinement(failure: CoreFailure, { projectId }: Origin): string | undefined {
  if (projectId === undefined || failure.kind !== 'refused' || failure.code !== 'FORBIDDEN') return undefined
  const { hint } = failure
  const confined = `this server is confined to the project ${projectId}`
  if (hint?.kind === 'other_project') return `${confined}, and the token to another.`
  return hint?.kind === 'confined' && hint.to === 'project' ? `${confined}.` : undefined
}

/** The arguments whose names differ from core's fields. */
const argumentNames: Readonly<Record<string, string>> = {
  'target.path': 'targetPath',
  'target.symbol': 'targetSymbol',
  userToInviteEmail: 'invitee',
  sessionToken: 'sessionId',
}

function withArgumentNames(failure: CoreFailure): CoreFailure {
  if (failure.kind !== 'refused' || failure.hint?.kind !== 'names') return failure
  const rename = (text: string, name: string) => text.replaceAll(name, argumentNames[name] ?? name)
  return { ...failure, message: failure.hint.fields.reduce(rename, failure.message) }
}
