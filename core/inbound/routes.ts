import type { Context } from '../base/context.ts'
import { noSuchRoute } from '../http/request.ts'
import { withContract } from '../http/handler.ts'
import type { Contract } from '../http/contract.ts'
import type { Route } from '../http/route.ts'
import { reasonToIgnore } from './decide.ts'
import { readFacts, wantedMembers } from './facts.ts'
import { gitLabMembers, readGitLabFacts } from './gitlab-facts.ts'
import { readDeliveryHeaders } from './headers.ts'
import { holdingBody } from './held-bodies.ts'
import { acceptDelivery, notSigned, otherRepository, reachingDatabase, readPayload } from './receive.ts'
import { isOwnRepository, type ProjectReceiver } from './secrets.ts'
import { type InboundSource, Received } from './schema.ts'
import { isSigned, readSignature } from './signature.ts'

const contract = {
  description:
    'Signed in `X-Hub-Signature-256` or `X-CodeHost-Signature-256`; event and id are in `X-GitHub-Event` and ' +
    '`X-GitHub-Delivery`, or the same with `X-CodeHost-`. Also accepts the headers of Gitea, Forgejo and GitLab. ' +
    'Answers before the work is done.',
  answers: { 200: Received },
  errors: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE'],
} satisfies Partial<Contract>

/** `POST /api/webhooks/code-host/:projectId` */
export const receiveForProject = withContract(
  { ...contract, name: 'receiveForProject', summary: 'Receives an event of the repository of one project' },
  async (ctx, koa) => {
    const projectId = koa.params['projectId'] ?? ''
    // Malformed ids are looked up, too, so that timing does not reveal whether a project exists.
    const known = /^[0-9A-Z]{26}$/.test(projectId) ? projectId : '-'
    return receive(ctx, koa, { source: 'project', projectId, find: () => ctx.intake.receiverOf(known) })
  },
)

/** `POST /api/webhooks/code-host-app` */
export const receiveForApp = withContract(
  {
    ...contract,
    name: 'receiveForApp',
    summary: 'Receives an event of the code host app for every project with the repository',
  },
  async (ctx, koa) => receive(ctx, koa, sharedReceiver(koa, 'app', ctx.config.inbound.appSecret)),
)

/** `POST /webhooks/code_host` */
export const receiveForAll = withContract(
  {
    ...contract,
    name: 'receiveForAll',
    summary: 'Receives an event of the code host for every project with the repository',
  },
  async (ctx, koa) => receive(ctx, koa, sharedReceiver(koa, 'code_host', ctx.config.inbound.secret)),
)

type Koa = Parameters<Route>[1]

interface Receiver {
  source: InboundSource
  projectId: string | null
  /** A project's receiver takes only the deliveries of the project's repository. */
  find: () => Promise<{ secrets: string[] } | ProjectReceiver | undefined>
}

/** @throws AppError 404 if no secret is configured */
function sharedReceiver(koa: Koa, source: InboundSource, secret: string | undefined): Receiver {
  if (secret === undefined) throw noSuchRoute(koa)
  return { source, projectId: null, find: async () => ({ secrets: [secret] }) }
}

async function receive(ctx: Context, koa: Koa, { source, projectId, find }: Receiver) {
  // Requests without a signature are rejected before their body is read.
  const signature = readSignature(koa.req.headers, ctx.config.inbound)
  // A secret in a header is for the receiver of one project. The shared ones verify signatures only.
  if (!signature || (signature.algorithm === 'none' && source !== 'project')) throw notSigned()
  return holdingBody(koa.req, async (body) => {
    const receiver = await reachingDatabase(find)
    const signed = await isSigned(body, signature, receiver?.secrets ?? [])
    if (!receiver || !signed) throw notSigned()
    const { format, event: given, deliveryId } = readDeliveryHeaders(koa.req.headers)
    const wanted = format === 'gitlab' ? gitLabMembers : wantedMembers
    const payload = await readPayload(body, koa.req.headers['content-type'], { sender: projectId ?? source, wanted })
    const { event, action, facts } =
      format === 'gitlab' ? readGitLabFacts(given, payload) : readFacts(given, payload, ctx.config.codeHost.app?.id)
    const isOwn = !('repository' in receiver) || isOwnRepository(receiver, facts)
    const ignored = reasonToIgnore(event, facts) ?? (isOwn ? null : otherRepository)
    if ('repository' in receiver) await reachingDatabase(() => ctx.intake.rememberRepository(receiver, facts))
    const delivery = { source, projectId, deliveryId, event, action, body, facts, ignored }
    return { status: 200, body: Received.parse(await acceptDelivery(ctx, delivery)) }
  })
}
