import type { Command } from 'commander'
import { openContext } from '../context.ts'
import { bold } from '../output.ts'

export function addWhoami(program: Command): void {
  program
    .command('whoami')
    .description('show the server, your account and the scopes of your token')
    .action(async (_options: unknown, command: Command) => {
      const { credentials, core, out } = openContext(command)
      const { baseUrl, source } = await credentials()
      const { user, ...token } = await (await core()).tokens.current.query()
      out.answer({ server: baseUrl, tokenFrom: source, user, token }, () => {
        out.line(bold(user.name), ` <${user.email}>`)
        out.line(`Server   ${baseUrl}`)
        out.line(
          `Token    ${token.name} …${token.lastFour}, from ${source}, valid until ${token.expiresAt.slice(0, 10)}`,
        )
        out.line(`Scopes   ${token.scopes.join(' ')}`)
        if (token.organizationId) out.line(`Restricted to organization ${token.organizationId}`)
        if (token.projectId) out.line(`Restricted to project ${token.projectId}`)
      })
    })
}
