import { z } from 'zod'

const social = {
  provider: z.literal('code_host', 'must be code_host'),
  callbackURL: z.string().default('/'),
  errorCallbackURL: z.string().optional(),
  /** Tells clients of better-auth not to redirect by themselves. */
  disableRedirect: z.boolean().default(false),
}

/** `POST /api/auth/sign-in/social`. `safeCallbackUrl` checks the return addresses. */
export const SignInWithCodeHost = z.object(social)
export type SignInWithCodeHost = z.infer<typeof SignInWithCodeHost>

/** `POST /api/auth/link-social`. `repo` lets Assay read private repositories. */
export const LinkCodeHost = z.object({
  ...social,
  scopes: z.array(z.enum(['read:user', 'user:email', 'repo'])).optional(),
})
export type LinkCodeHost = z.infer<typeof LinkCodeHost>

export const CodeHostRedirect = z.object({ url: z.string(), redirect: z.boolean() })
export type CodeHostRedirect = z.infer<typeof CodeHostRedirect>

/** For the OpenAPI document. The route parses the query itself and answers every mistake with a redirect or a page. */
export const CodeHostReturn = z.object({ code: z.string(), state: z.string() })
