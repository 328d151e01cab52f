import { codeHostProblems } from '../identity/auth/code-host/problems.ts'
import { findLink, readsPrivate } from '../code-host/account.ts'
import type { Context, UserActor } from '../base/context.ts'
import { listOrganizations } from '../identity/organizations/get.ts'
import type { Organization } from '../identity/organizations/schema.ts'
import type { Route } from '../http/route.ts'
import { listSessions } from '../identity/sessions/list.ts'
import type { Session } from '../identity/sessions/schema.ts'
import { atOurAddress } from './address.ts'
import { codeHostName } from './code-host-name.ts'
import { button, hidden, note, problem, sentenceFor } from './form.ts'
import { type Html, html, page, redirect } from '../http/page.ts'
import { moment } from './time.ts'

const news: Record<string, string> = {
  'verification-sent': 'We sent a link to your e-mail address. The link is valid for one day.',
  linked: 'Your code host account is linked.',
  'password-changed': 'Your password was changed, and all other sessions were ended.',
  'session-ended': 'The session was ended.',
  'others-ended': 'All other sessions were ended.',
}

/** The account page: the user's sessions, organizations and code host account. */
export const showHome: Route = atOurAddress(async (ctx, koa) => {
  if (ctx.actor?.kind !== 'user') return redirect(`/sign-in${koa.search}`)
  return page(
    200,
    'Your account',
    html`${problem(sentenceFor(codeHostProblems, koa.query['error']))} ${note(sentenceFor(news, koa.query['done']))}
    ${who(ctx.actor)} ${sessionList(await listSessions(ctx))} ${organizationList(await listOrganizations(ctx))}
    ${await codeHost(ctx, ctx.actor)} ${nextSteps(ctx)}`,
  )
})

function who({ user }: UserActor): Html {
  return html`<p>
      You are signed in as <strong>${user.name}</strong>, ${user.email}
      ${user.emailVerified ? '(confirmed).' : '(not confirmed).'}
    </p>
    ${user.emailVerified ? undefined : button('/verify-email/send', 'Send a confirmation link')}
    <p><a href="/change-password">Change your password</a></p>`
}

function sessionList(sessions: Session[]): Html {
  const others = sessions.filter(({ current }) => !current).length
  return html`<h2 id="sessions">Where you are signed in</h2>
    <ul class="list" aria-labelledby="sessions">
      ${sessions.map(sessionItem)}
    </ul>
    <div class="row">
      ${button('/sign-out', 'Sign out')}
      ${others > 0 ? button('/sessions/revoke-others', 'Sign out everywhere else') : undefined}
    </div>`
}

function sessionItem({ id, current, ipAddress, userAgent, createdAt }: Session): Html {
  const place = ipAddress ?? 'an unknown address'
  return html`<li>
    <div>
      ${current ? html`<strong>This browser</strong>, at ${place}` : html`At ${place}`}, since ${moment(createdAt)}
      <div class="quiet">${userAgent ?? 'Unknown program'}</div>
    </div>
    ${
      current
        ? undefined
        : button('/sessions/revoke', 'End', { describe: `the session at ${place}` }, hidden('session', id))
    }
  </li>`
}

function organizationList(organizations: Organization[]): Html | undefined {
  if (organizations.length === 0) return undefined
  return html`<h2 id="organizations">Your organizations</h2>
    <ul class="list" aria-labelledby="organizations">
      ${organizations.map(organizationItem)}
    </ul>`
}

function organizationItem({ name, slug, role }: Organization): Html {
  return html`<li>
    <div><strong>${name}</strong> <span class="quiet">${slug}</span></div>
    <div class="role">${role}</div>
  </li>`
}

async function codeHost(ctx: Context, { userId }: UserActor): Promise<Html | undefined> {
  const name = codeHostName(ctx.config)
  const link = await findLink(ctx, userId)
  if (!link && !ctx.config.codeHost.client) return undefined
  return html`<h2>${name}</h2>
    ${
      link
        ? html`<p>
              Linked to ${link.login === null ? 'your account' : html`<strong>${link.login}</strong>`}, for
              ${readsPrivate(link) ? 'private repositories too' : 'public repositories only'}.
            </p>
            ${
              ctx.config.codeHost.client
                ? button(
                    '/link/code-host',
                    readsPrivate(link) ? 'Link again' : 'Let Assay read private repositories',
                    {},
                    hidden('private', 'yes'),
                  )
                : undefined
            }`
        : button('/link/code-host', `Link your ${name} account`)
    }`
}

function nextSteps({ config }: Context): Html {
  return html`<h2>Connect a coding agent</h2>
    <ul>
      <li>Over stdio: the agent starts <code>mcp-server/start.mjs</code>.</li>
      <li>
        Over HTTP:
        ${
          config.local
            ? html`<code>http://127.0.0.1:${config.mcpPort}/mcp</code>.`
            : html`the address of the MCP server of this installation.`
        }
      </li>
      <li>Without MCP: the API at <code>${config.baseUrl}</code> (<a href="/docs">reference</a>).</li>
    </ul>
    <p>
      In the checkout of Assay, <code>docs/connect.md</code> has the settings for each agent,
      <code>docs/mcp-tools.md</code> lists the tools and <code>docs/api.md</code> describes the API.
    </p>`
}
