import type { Inputs } from '../../api.ts'

export type HostKind = Inputs['codeHost']['setConnection']['kind']

interface KindTexts {
  name: string
  /** The account and the token that Assay needs. */
  token: string
  /** How a webhook is added there, before and after the URL that Assay shows. */
  webhook: { place: string; settings: string }
}

/** What users do at each kind of code host. */
export const hostKinds: Record<HostKind, KindTexts> = {
  gitlab: {
    name: 'GitLab',
    token:
      'A project, group or personal access token with the scope `api`, of an account with the role Developer or higher.',
    webhook: {
      place: 'On GitLab, open the project’s Settings, Webhooks, Add new webhook, and enter this URL:',
      settings: 'Enter the secret as secret token, and choose the triggers push, comment and merge request events.',
    },
  },
  gitea: {
    name: 'Gitea or Forgejo',
    token:
      'An access token with the scopes `write:repository`, `write:issue` and `read:user`, of an account that may push.',
    webhook: {
      place:
        'Open the repository’s Settings, Webhooks, add a webhook of the type Gitea or Forgejo, and enter this URL:',
      settings: 'Enter the secret, and choose the events push, pull request, issue comment and release.',
    },
  },
  github: {
    name: 'GitHub',
    token:
      'A classic token with the scope `repo`, or a fine-grained one that may write commit statuses, pull requests and issues, of an account that may push.',
    webhook: {
      place: 'On GitHub, open the repository’s Settings, Webhooks, Add webhook, and enter this payload URL:',
      settings:
        'Choose the content type `application/json`, enter the secret, and select the events Pushes, Pull requests, Issue comments and Releases.',
    },
  },
}

const kinds = ['gitlab', 'gitea', 'github'] as const satisfies readonly HostKind[]
export const kindOptions = kinds.map((kind) => [kind, hostKinds[kind].name] as const)

/** A guess by the name of the host. */
export function likelyKind(repository: string): HostKind {
  if (/gitlab/i.test(repository)) return 'gitlab'
  return /gitea|forgejo|codeberg/i.test(repository) ? 'gitea' : 'github'
}
