import type { CoreFailure } from './core-client.ts'
import type { Credentials } from './credentials.ts'
import { type Audience, inWordsOf } from './procedure-names.ts'
import { cleanLine, shorten } from './sanitize.ts'

/** Where a call went, and with which token. */
export interface Destination {
  baseUrl: string
  /** Where the token comes from. Null: there is no token. Undefined: the caller gave the token itself. */
  source?: Credentials['source'] | undefined
  tokenFile?: string | undefined
  /** The address comes from SVC_BASE_URL. */
  isSet?: boolean
  /** The address of the last login, where SVC_API_TOKEN makes the client ignore it. */
  unusedLogin?: string | null
}

export type Refusal = Extract<CoreFailure, { kind: 'refused' }>

/** Explains why a call to core failed, and what to do next. */
export function explainFailure(failure: CoreFailure, to: Destination, audience: Audience): string {
  const { baseUrl } = to
  switch (failure.kind) {
    case 'refused':
      return explainRefusal(failure, to, audience)
    case 'unreachable':
      return `Assay does not answer at ${baseUrl}. ${howToReach(to)}`
    case 'not_core':
      return `The server at ${baseUrl} is not Assay. ${howToReach(to)}`
    case 'redirects':
      return `${baseUrl} redirects to another address, which Assay does not follow. Set SVC_BASE_URL to that address, or log in to it: \`assay login --url URL\`.`
    case 'endless':
      return `The response of ${baseUrl} is too long, so the server is not Assay. ${howToReach(to)}`
    case 'cut':
      return (
        `The connection to ${baseUrl} ended after ${failure.seconds} s of sending. If Assay still runs there, the upload ` +
        'was too slow: without other settings it may take 30 s, and 1 s more for every 64 KiB, up to 15 min, and a ' +
        'proxy may allow less. Use a faster connection, or send less.'
      )
    case 'timeout':
      return `Assay at ${baseUrl} took too long to answer. Try again, or run \`assay doctor\` to find the cause.`
    default:
      return 'The call was cancelled.'
  }
}

function explainRefusal(refusal: Refusal, to: Destination, audience: Audience): string {
  const message = sentence(refusal, audience)
  switch (refusal.code) {
    case 'UNAUTHORIZED':
    case 'SESSION_EXPIRED':
      return `${to.baseUrl} rejected the token: it is unknown, expired or revoked. ${howToReplaceToken(to)}`
    case 'FORBIDDEN':
    case 'PAYMENT_REQUIRED':
      return `Not allowed: ${message} ${inWordsOf(audience, 'tokens.current')} shows the scopes of your token.`
    case 'NOT_FOUND':
    case 'BAD_REQUEST':
    case 'CONFLICT':
    case 'PAYLOAD_TOO_LARGE':
    case 'REQUEST_TIMEOUT':
      return message
    case 'RATE_LIMITED':
    case 'TOO_MANY_REQUESTS':
      return `Too many requests: ${message} Wait before you try again.`
    default:
      return `${cleanLine(refusal.code)}: ${message}`
  }
}

/** A message of core can quote text of strangers, so it is cleaned. */
function sentence({ message, hint }: Refusal, audience: Audience): string {
  const line = shorten(cleanLine(inWordsOf(audience, message, hint?.kind === 'names' ? hint.procedures : [])), 500)
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

/** Says what to do where Assay does not answer. */
export function howToReach({ isSet = false, unusedLogin = null }: Destination): string {
  if (unusedLogin !== null) {
    return (
      `SVC_API_TOKEN is set, so the address of your login, ${unusedLogin}, is not used. Set SVC_BASE_URL to it, ` +
      'or unset SVC_API_TOKEN.'
    )
  }
  if (isSet) return 'The address comes from SVC_BASE_URL. Start Assay there, or correct SVC_BASE_URL.'
  return 'Start it with `npm start`, or use another server: set SVC_BASE_URL, or run `assay login --url URL`.'
}

/** Says how to replace a token that core rejects, without steps that need a valid one. */
export function howToReplaceToken({ source, tokenFile = 'DATA_DIR/token', unusedLogin = null }: Destination): string {
  switch (source) {
    case 'SVC_API_TOKEN':
      return unusedLogin === null
        ? 'It comes from SVC_API_TOKEN. Set that to another token, or unset it and run `assay login`.'
        : `It comes from SVC_API_TOKEN, so the address of your login, ${unusedLogin}, is not used. If the token is for ` +
            'that server, set SVC_BASE_URL to it. Otherwise set SVC_API_TOKEN to another token, or unset it.'
    case 'assay login':
      return 'It comes from your login. Log in again: `assay login`.'
    case 'DATA_DIR/token':
      return `It comes from ${tokenFile}, which local mode wrote, perhaps for another database. Set DATA_DIR to the folder that \`npm start\` printed, or log in: \`assay login\`.`
    case null:
      return 'There is no token. Log in with `assay login`, set SVC_API_TOKEN, or start Assay on this machine with `npm start`.'
    default:
      return 'Use another token, or create one: `assay login --email ADDRESS`.'
  }
}
