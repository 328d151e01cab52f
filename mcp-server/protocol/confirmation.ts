import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Ask, Question } from '../tools/confirm.ts'

/** People look at what they are asked; what lies longer than this is asked anew. */
const patienceSeconds = 300

const responseKey = 'consent'
const Consent = z.object({ consent: z.boolean() })

/** Of what was asked, and of which time that it was. */
interface Proof {
  of: string
  id: string
}

const mostOpen = 10_000

/** Questions that nobody has answered: each counts once. What is forgotten, by too many others, is asked anew. */
const open = new Set<string>()

function openQuestion(of: string): Proof {
  const proof = { of, id: randomUUID() }
  open.add(proof.id)
  const [oldest] = open
  if (open.size > mostOpen && oldest !== undefined) open.delete(oldest)
  return proof
}

/** What comes back with an answer is of this process and this caller, and not old. */
const codec = createRequestStateCodec<Proof>({
  key: randomBytes(32),
  ttlSeconds: patienceSeconds,
  bind: (ctx) => JSON.stringify([ctx.mcpReq.method, ctx.http?.authInfo?.clientId ?? 'stdio']),
})

/** What a server has to know to ask; to clients of the older era the SDK puts the question itself. */
export const askingOptions = {
  requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
  inputRequired: { roundTimeoutMs: (patienceSeconds - 10) * 1_000 },
} satisfies ServerOptions

export interface Asker {
  /** Absent where the client cannot be asked. */
  ask?: Ask
  /** The result to return where `ask` said `asked`. */
  question: () => InputRequiredResult
}

const nobodyToAsk: Asker = {
  question: () => {
    throw new Error('nothing was asked')
  },
}

/** Asks through the protocol, by a result that the client answers with the same call once more. */
export function createAsker(server: Server, ctx: ServerContext): Asker {
  if (!canBeAsked(server, ctx)) return nobodyToAsk
  let asked: InputRequiredResult | undefined
  return {
    question: () => asked ?? nobodyToAsk.question(),
    ask: async (question) => {
      const of = digest(question)
      const { inputResponses } = ctx.mcpReq
      const response = inputResponse(inputResponses, responseKey)
      const proof = ctx.mcpReq.requestState<Proof>()
      // An answer without proof of what was asked is none, and so is a second one, above all to what was declined.
      if (response.kind === 'elicit' && proof?.of === of && open.delete(proof.id)) {
        return acceptedContent(inputResponses, responseKey, Consent)?.consent === true ? 'yes' : 'no'
      }
      asked = inputRequired({
        inputRequests: { [responseKey]: elicitation(question) },
        requestState: await codec.mint(openQuestion(of), ctx),
      })
      return 'asked'
    },
  }
}

const Modes = z.object({ form: z.unknown(), url: z.unknown() }).partial()
const Envelope = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: Modes.optional() }) })

function canBeAsked(server: Server, ctx: ServerContext): boolean {
  // The newest era declares capabilities with every request, the older one once for the connection.
  const envelope = Envelope.safeParse(ctx.mcpReq.envelope).data
  const modes = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities())?.elicitation
  return modes !== undefined && (modes.form !== undefined || modes.url === undefined)
}

const digest = ({ tool, input, name }: Question) =>
  createHash('sha256')
    .update(JSON.stringify([tool, input, name]))
    .digest('base64url')

const elicitation = ({ tool, what, name }: Question) =>
  inputRequired.elicit({
    message: `${tool}: ${what}`,
    requestedSchema: {
      type: 'object',
      properties: { [responseKey]: { type: 'boolean', title: `Yes, ${name}`, default: false } },
      required: [responseKey],
    },
  })
